"""The schedule of transfers: moved out of loops, not repeated, and overlapped with computation.

May import `ir`, `planning`, `device_stages` and `dialects`. Gives the rewrites that
`accel-hoist-transfers` and `accel-pipeline-loops` run.

Internal: may change without notice.
"""
