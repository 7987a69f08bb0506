"""The accesses of each op: their operands, the rights to them, and the new state of the memory.

May import all packages of the check but `program`.

Internal: may change without notice.
"""
