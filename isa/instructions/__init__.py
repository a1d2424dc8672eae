"""The instruction families; importing them fills `isa.spec.TABLE`."""
