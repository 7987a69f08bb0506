"""Sums of products: matrices, and any other by letters of an equation.

Imports the lowering of nodes.

Internal: may change without notice.
"""
