"""Builds a linked image from a C project: compiler, linker script, placement of pools, call graph.

May import the modules of `mcu`, `codegen` and `network`.

Internal: may change without notice.
"""
