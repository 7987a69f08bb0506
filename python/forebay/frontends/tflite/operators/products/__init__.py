"""Operators that sum products, beside convolutions and fully connected layers.

Internal: may change without notice.
"""
