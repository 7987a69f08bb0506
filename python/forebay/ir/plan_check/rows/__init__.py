"""Rows that a program accesses one by one: the loops that decide them, and the rows of a reduction.

May import `integers`.

Internal: may change without notice.
"""
