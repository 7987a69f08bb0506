"""VTA: instructions, their 128-bit words, and an interpreter of three cores with tokens.

May import `forebay.isa` and NumPy.
Gives instruction types, encoder, decoder, and `run_vta`.

Internal: may change without notice.
"""
