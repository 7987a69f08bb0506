"""Passes that plan memory and check plans.

Internal: may change without notice.
"""
