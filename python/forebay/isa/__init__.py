"""Instruction sets of real accelerators: typed instructions, their words, and interpreters.

Imports `forebay.errors` and NumPy; imports no MLIR.
Gives fields of words, memories with a record of what was written, and faults; the packages
`gemmini` and `vta` are the machines.

Internal: may change without notice.
"""
