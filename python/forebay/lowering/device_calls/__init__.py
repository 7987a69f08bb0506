"""Device commands as calls of C functions in the LLVM dialect, and the functions' definitions.

May import `ir` and `dialects`.

Internal: may change without notice.
"""
