"""What every planner must keep: preconditions, verification, lower bounds, certificates, effort.

May import `planning.model`. `verify` shares no code with planners or bounds.
"""
