"""SOFTMAX and LOG_SOFTMAX, over the last dimension.

Internal: may change without notice.
"""
