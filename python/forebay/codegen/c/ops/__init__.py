"""The C of each op: one file per dialect or family, found through `codegen.c.registry`.

A file registers its printers by decorators. May import `codegen.c` and its other subpackages.

Internal: may change without notice.
"""
