"""`<model>_selftest.c`: runs the network on stored inputs and compares with stored outputs.

May import `interface`, `pools` and `network`.

Internal: may change without notice.
"""
