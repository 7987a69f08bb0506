"""Addresses of rows that lie anywhere in their pool: arithmetic on the index, or a table.

May import `ir.rows`, `ir.problem`, and `lowering.kernels` for scalar arithmetic.

Internal: may change without notice.
"""
