"""The compiled half of Forebay: dialects, the pass adapter and upstream's drivers.

Internal: may change without notice.
"""
