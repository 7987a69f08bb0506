"""Schedules of the host's kernels: merged dimensions and blocks."""
