"""Converters of other packages, each run in a process of its own: they bring an MLIR of their own.

`process` runs one, `tosa` reads TOSA flatbuffers, `jax` functions of JAX, `torch` modules of
PyTorch. The scripts in `scripts` run in these processes and import nothing of Forebay.

Internal: may change without notice.
"""
