"""Loops that compute several positions of an `accel.reduce` at once, as its `blocks` say.

Internal: may change without notice.
"""
