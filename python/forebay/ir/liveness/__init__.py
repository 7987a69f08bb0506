"""When buffers are live, and which effects two ops may not exchange: one walk over the call graph.

May import `ir.memory` and the records of `planning`. Gives `liveness_of` and `MemoryEffects`.
"""
