"""Single operators of every type and with any options against TFLite Micro.

What TFLite Micro runs, Forebay must run too, with the same bits (floats up to 1e-6 of the largest
one), but for the refusals in `known.py`, each with its reason.
"""

from fuzz.operators.check import check

LONG = 4_000
SECONDS = 120.0

__all__ = ["LONG", "SECONDS", "check"]
