"""What every package may use: files that appear whole, sizes in words, mistakes in users' code.

May import only `forebay.errors`.
"""
