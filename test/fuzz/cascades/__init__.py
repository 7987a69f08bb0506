"""Loops over rows: random windows, sums in place and copies, with strides, dilations and padding.

A loop that is run in Python is the oracle of lifetimes and of places: it reads no byte that another
row has overwritten if and only if the check of the plan accepts the places.
"""

from fuzz.cascades.check import check

LONG = 2_000
SECONDS = 300.0

__all__ = ["LONG", "SECONDS", "check"]
