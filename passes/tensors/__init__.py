"""Passes on tensors, from TOSA to tensors with candidate pools.

Internal: may change without notice.
"""
