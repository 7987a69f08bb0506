"""Passes on buffers between bufferization and planning: stores, transfers, pipelined loops.

Internal: may change without notice.
"""
