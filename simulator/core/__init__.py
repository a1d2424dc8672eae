"""Descriptions of cores: figures, units, operation costs, and the files that hold them."""
