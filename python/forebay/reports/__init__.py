"""What a compilation tells about itself: copies, loops, off-loading, plans; and plain tables.

May import `ir`, `planning` and `dialects`. Gives one record per report and its text.
"""
