"""What is computed from the constants of a convolution before its kernel is built.

May import `ir`. Gives `fold_source_zero_point`, which moves a zero point into the bias, and
`replace_negligible_scales`.

Internal: may change without notice.
"""
