"""The machine that a module declares: devices, pools, intrinsics, transfers, queues, tokens.

May import `dialects` and the modules of `ir`. Gives frozen records and lookups by name.

Internal: may change without notice.
"""
