"""Memrefs whose rows have places of their own (`#memref_pool.rows`).

`layout.py` says what a type's rows are, `indices.py` which row a `memref_pool.row` shows, and
`tables.py` which memrefs of a materialised program are tables of places.

Internal: may change without notice.
"""
