"""IF and WHILE.

Internal: may change without notice.
"""
