"""Readers and writers for files of planning problems and plans: CSV and JSON.

May import `planning.model`, `planning.contract` and `forebay.support`.

Internal: may change without notice.
"""

from forebay.planning.formats.files import read_problem, write_plan, write_problem

__all__ = ["read_problem", "write_plan", "write_problem"]
