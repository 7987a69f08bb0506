"""The contract of all planners: preconditions, verification, lower bounds, certificates, effort.

May import `planning.model`. `verify` shares no code with planners or bounds.

Internal: may change without notice.
"""
