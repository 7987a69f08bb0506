"""Operators that move elements, or say where they are.

Internal: may change without notice.
"""
