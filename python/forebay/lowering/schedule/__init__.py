"""Schedules of the host's kernels: merged dimensions and blocks.

Internal: may change without notice.
"""
