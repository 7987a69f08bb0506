"""Structured ops: their loop nests for `forebay.regions`, and ops on boxes.

May import `forebay.dialects`, `forebay.regions`, `ir.interfaces` and `ir.softmax`.

Internal: may change without notice.
"""
