"""Kernels that the importer builds itself, where TOSA has no op with TFLite's bits.

`accumulate` builds `accel.reduce`, `elementwise` builds `linalg.generic`, and `scaled` the scalar
arithmetic inside of them. May import `lowering` and `forebay.lowering.kernels`.

Internal: may change without notice.
"""
