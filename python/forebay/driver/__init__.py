"""Compilation of a model file to a compiled network, and the uses of that network.

Runs the pipelines in order and keeps their results. May import every package except `cli` and
`mcu`. Gives `compile`, `Compiled` and the texts that the command prints about a compilation.

Internal: may change without notice.
"""
