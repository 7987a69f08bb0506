"""Python functions over symbolic integers, recorded as data and written as MLIR.

`record` holds the recorded steps, `integers`, `pointers` and `control` the symbolic values that
record them; `cycles` and `reference` run an author's function once. A trace is evaluated on Python
integers by `evaluate`, and written as a `func.func` of upstream operations by `emit`, the only
module here that loads MLIR. Both compute the same numbers.

May import `forebay.errors` only.

Internal: may change without notice.
"""
