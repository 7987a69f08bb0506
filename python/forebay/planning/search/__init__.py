"""The algorithms of the planners: greedy placement, local search, exact search, beam search.

May import `planning.model`, `planning.contract` and `planning.core`.

Internal: may change without notice.
"""
