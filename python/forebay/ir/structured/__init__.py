"""Structured ops: their loop nests for `forebay.regions`, and `accel.reduce` on boxes.

May import `forebay.dialects`, `forebay.regions` and `ir.memory.linear`.

Internal: may change without notice.
"""
