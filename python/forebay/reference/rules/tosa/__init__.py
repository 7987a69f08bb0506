"""The rules of the TOSA dialect: one file per family of operators.

Internal: may change without notice.
"""
