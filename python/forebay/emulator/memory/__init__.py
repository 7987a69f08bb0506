"""Bytes with shadow memory: which buffer owns each byte, who wrote it, which accesses fault.

May import only `ir.locations` and NumPy. Gives memories, buffers, views and the classes of faults.
"""
