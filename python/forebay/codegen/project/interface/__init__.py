"""The parts of all generated files: signatures, status codes, plan identity, runtime header.

May import `network` and `codegen.c.syntax`.

Internal: may change without notice.
"""
