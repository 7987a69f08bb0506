"""From a C project to a linked image: compiler, linker script, placement of pools, call graph.

May import the modules of `mcu`, `codegen` and `network`.
"""
