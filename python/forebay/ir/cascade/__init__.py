"""Cascades in the IR: the row graph of a module, and loops over rows in the place of operators.

Imports `forebay.cascade`, `forebay.regions`, and what asks questions about IR.
Gives the row graph with the ops that it stands for.

Internal: may change without notice.
"""
