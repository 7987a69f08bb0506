"""Shared code of the operators: TOSA builders, requantisation, windows, weights, fixed point.

May import `frontends.tflite.file`. `registry` maps operator codes to functions in `operators`.

Internal: may change without notice.
"""
