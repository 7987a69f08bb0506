"""Integers of a program, as far as they are known before it runs: linear forms with bounds.

Knows no buffers. May import `forebay.ir` and nothing else of the check.

Internal: may change without notice.
"""
