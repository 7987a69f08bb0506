"""Operators that reduce axes, or count along them.

Internal: may change without notice.
"""
