"""One planner per file, found by `forebay.planning.registry`."""
