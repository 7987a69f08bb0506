"""Functions of the bits of one element or two.

Internal: may change without notice.
"""
