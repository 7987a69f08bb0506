"""Fuzzers: drawn cases against oracles that share no code with what they judge.

Each folder is one: a package with `check(seed)`, which draws one case, judges it, and returns what
it counted or raises `Wrong`. `python test/fuzz NAME --count 1000` runs many of them; the tests
beside them run a few with a fixed seed.
"""
