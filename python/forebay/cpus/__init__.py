"""Processors that run the host's kernels: what their instructions cost, and the blocks that fit.

Imports no MLIR. One file per instruction set.

Internal: may change without notice.
"""
