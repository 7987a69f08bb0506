"""The planning problem of a module, as data and as IR, and the plan that is written back.

May import `ir.liveness`, `ir.memory`, `ir.machine` and `planning`. Gives `extract_problem`,
`problem_of` and `plan_of`, the readers and writers of `memref_pool.problem`, and entry ports.

Internal: may change without notice.
"""
