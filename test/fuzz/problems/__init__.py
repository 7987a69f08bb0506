"""Random planning problems: every planner against brute force.

Pools with capacities, alignments, bases, rows, banks, first bytes and reserved ranges; buffers with
pins, alias groups, candidate pools, costs, lives with gaps; pairs in conflict and to be parted.
"""

from fuzz.problems.check import check

LONG = 20_000
SECONDS = 600.0

__all__ = ["LONG", "SECONDS", "check"]
