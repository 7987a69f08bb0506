"""How values stand for memory: views, underlying buffers, access regions, effects, copies.

May import `ir.machine`. Knows nothing of time; that is `ir.liveness`.
"""
