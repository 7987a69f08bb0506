"""Kernels of one operator that are computed tile by tile, so that its temporaries are tiles.

May import `forebay.dialects` and `forebay.ir`.

Internal: may change without notice.
"""

TILE_BYTES = 16
"""The largest tile of a temporary, in bytes: small enough for the stack."""
