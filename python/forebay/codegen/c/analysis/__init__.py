"""Analyses that decide how IR is printed.

They compute integer ranges, written memrefs, layouts of constant pools, translation units and stack
bounds. May import `network` and `ir`; prints nothing.

Internal: may change without notice.
"""
