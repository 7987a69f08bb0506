"""Placed buffers of a program, and the checks of their places that are independent of its ops.

May import `rows`.

Internal: may change without notice.
"""
