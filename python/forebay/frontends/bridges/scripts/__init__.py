"""Programs for processes that have another MLIR loaded; they import nothing of Forebay.

Internal: may change without notice.
"""
