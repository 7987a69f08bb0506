"""What all generated files share: signatures, status codes, plan identity, runtime header.

May import `network` and `codegen.c.syntax`.

Internal: may change without notice.
"""
