"""Prepare the functions of a program once as actions on frames, then run them.

`registry` maps each op class to its rule in `rules`. May import all other subpackages of the
emulator except `compiled`.

Internal: may change without notice.
"""
