"""Passes about devices: attaching targets, partitioning, device lowering, handles and statuses.

Internal: may change without notice.
"""
