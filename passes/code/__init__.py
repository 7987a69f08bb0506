"""Passes after planning: one function per operator, loops, views of pools, LLVM.

Internal: may change without notice.
"""
