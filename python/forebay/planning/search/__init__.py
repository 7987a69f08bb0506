"""Algorithms that planners are made of: greedy placement, local search, exact search, beams.

May import `planning.model`, `planning.contract` and `planning.core`.
"""
