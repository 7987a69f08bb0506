"""`<model>.h` and the public functions of `<model>.c`.

May import `interface`, `pools`, `devices` and `codegen.c`.

Internal: may change without notice.
"""
