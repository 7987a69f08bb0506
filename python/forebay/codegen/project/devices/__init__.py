"""Driver functions of devices in generated C: prototypes, header, portable reference.

May import `interface`, `codegen.c`, `network` and `ir`.

Internal: may change without notice.
"""
