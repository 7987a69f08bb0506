"""Drawn programs on memrefs: calls, loops, branches, views, transfers, queues, several pools."""

from fuzz.programs.check import check

LONG = 2_000
SECONDS = 120.0

__all__ = ["LONG", "SECONDS", "check"]
