"""The rules of ops: one file per family of ops, found by `forebay.reference.registry`.

Internal: may change without notice.
"""
