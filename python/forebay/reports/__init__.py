"""Reports about a compilation: copies, loops, off-loading, plans; and plain tables.

May import `ir`, `planning`, `dialects` and `errors`. Gives one record per report and its text.

Internal: may change without notice.
"""
