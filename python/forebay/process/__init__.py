"""The process of a command: signals, child processes, standard streams and exit codes.

May import `forebay.errors` and `forebay.support`; imports no MLIR.

Internal: may change without notice.
"""
