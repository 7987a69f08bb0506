"""The values that each operator of a model must compute, and where a planned program holds them.

Internal: may change without notice.
"""
