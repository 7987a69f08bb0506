"""Names of C variables, buffers and constants, from the role that a value has in its operator.

May import `network` and `ir`. Gives one name per value; `NameScope` makes it unique.
"""
