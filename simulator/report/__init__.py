"""Reports: tables, bars and words made from results; none of them runs the model."""
