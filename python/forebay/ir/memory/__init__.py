"""Values as memory: views, underlying buffers, access regions, memory effects, copies.

May import `ir.machine` and the modules of `ir`. It does not know lifetimes; `ir.liveness` does.
"""
