"""Memory pools in generated C: definitions, checks, weights, load functions, linker fragment.

May import `interface`, `codegen.c` and `network`.

Internal: may change without notice.
"""
