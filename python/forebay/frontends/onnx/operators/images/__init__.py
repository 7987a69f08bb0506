"""Operators on images: pools of powers, and elements at positions that a grid gives.

Internal: may change without notice.
"""
