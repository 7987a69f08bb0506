"""What the operators share: TOSA builders, requantisation, windows, weights, fixed-point functions.

May import `frontends.tflite.file`. `registry` maps operator codes to functions in `operators`.
"""
