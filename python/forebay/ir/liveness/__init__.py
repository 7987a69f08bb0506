"""Lifetimes of buffers and memory effects of ops, both over the whole call graph.

May import `ir.memory`, `ir.machine` and the records of `planning`. Gives `liveness_of` and
`MemoryEffects`.

Internal: may change without notice.
"""
