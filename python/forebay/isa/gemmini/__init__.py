"""Gemmini: instructions, their words, and an interpreter that refuses what is undefined.

May import `forebay.isa` and NumPy.
Gives instruction types, encoder, decoder, and `run_gemmini`.

Internal: may change without notice.
"""
