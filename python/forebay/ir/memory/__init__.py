"""Values as memory: views, underlying buffers, access regions, memory effects, copies.

May import `ir.machine`, the modules of `ir` and the records of `planning`. It does not know
lifetimes; `ir.liveness` does.

Internal: may change without notice.
"""
