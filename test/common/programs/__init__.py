"""Programs and loop nests in IR or C, fixed and random, and graphs of rows."""
