"""Operators that compute every element by itself.

Internal: may change without notice.
"""
