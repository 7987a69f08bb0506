"""Bytes with shadow memory: the owner and the last writer of each byte, and the faults.

May import only `ir.locations`, `ir.rows` and NumPy. Gives memories, buffers, views and the classes
of faults.

Internal: may change without notice.
"""
