"""The abstract run of a program: ops in order, calls inlined, loops to a fixed point.

May import all other packages of the check.

Internal: may change without notice.
"""
