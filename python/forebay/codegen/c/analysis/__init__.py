"""Analyses that decide how IR is printed.

Integer ranges, written memrefs, layouts of constant pools, translation units, stack bounds. May
import `network` and `ir`; prints nothing.
"""
