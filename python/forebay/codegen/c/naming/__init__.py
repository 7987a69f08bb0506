"""Names of C variables, buffers and constants, from the role of a value in its operator.

May import `network` and `ir`. Provides one name per value; `NameScope` makes it unique.

Internal: may change without notice.
"""
