"""Utilities for every package: atomic file writes, parsing of sizes, errors in user code.

May import only `forebay.errors`.

Internal: may change without notice.
"""
