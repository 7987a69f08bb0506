"""What all generated files agree on: signatures, status codes, plan identity, runtime header.

May import `network` and `codegen.c.syntax`.
"""
