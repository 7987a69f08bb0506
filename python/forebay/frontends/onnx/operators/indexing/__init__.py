"""Operators whose positions are data: gathering, scattering and sorting.

Imports the lowering of nodes.

Internal: may change without notice.
"""
