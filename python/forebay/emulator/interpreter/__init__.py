"""Functions of a program as actions on frames, prepared once and then run.

`registry` maps each op class to its rule in `rules`. May import all other subpackages of the
emulator except `compiled`.
"""
