"""The planning problem of a module, as data and as IR, and the plan written back.

May import `ir.liveness`, `ir.memory`, `ir.machine` and `planning`.
"""
