"""Device commands as calls of C functions in the LLVM dialect, and references that define them.

May import `ir` and `dialects`.
"""
