"""The built-in planners, one per file; `forebay.planning.registry` finds them.

May import `planning.model`, `planning.contract` and `planning.search`.

Internal: may change without notice.
"""
