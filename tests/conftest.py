"""Hypothesis profiles: the default keeps the suite short, ``deep`` digs."""

from __future__ import annotations

from hypothesis import HealthCheck, settings

settings.register_profile(
    "default", deadline=None, suppress_health_check=[HealthCheck.too_slow], print_blob=True
)
settings.register_profile("deep", parent=settings.get_profile("default"), max_examples=2000)
settings.load_profile("default")
