"""A report of the installed packages and programs, and of the parts of Forebay that work.

Reads the versions of packages and programs, and tries compilation, engines and boards on a small
network, each in a process of its own, so that a broken installation is a line of the report.
Imports no MLIR. Used by `forebay doctor`.

Internal: may change without notice.
"""
