"""Cascades: operators in one loop over rows, and the search for the cuts between such loops.

Imports `forebay.regions` and nothing else of Forebay, and no MLIR.
Gives the row graph of a network, the schedule of a segment of it, the lifetime of each row, the
live bytes, and the segments with the fewest of them.

Internal: may change without notice.
"""
