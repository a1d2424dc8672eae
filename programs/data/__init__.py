"""Operands of kernels: from files, bundled constructions and random sources.

Importing this package, and listing what is bundled, needs neither numpy nor scipy; both are
imported when an operand is loaded or built.
"""

from __future__ import annotations

from programs.data.catalogue import Bundled, bundled
from programs.data.operand import Operand
from programs.data.source import load

__all__ = ["Bundled", "Operand", "bundled", "load"]
