"""Segments of long blocks: moved into functions for bufferization, and back.

May import `ir`. Gives `split_blocks` and `join_blocks`.

Internal: may change without notice.
"""
