"""Operators with state: they keep tensors from inference to inference.

Internal: may change without notice.
"""
