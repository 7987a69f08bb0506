"""The parts derived from declared intrinsics: patterns, calls of whole operators, tiles.

May import `computations`, `device_stages`, `tiling` and the parts of `description`. Gives
`with_declared`, which adds what it derives to the parts of a target.

Internal: may change without notice.
"""
