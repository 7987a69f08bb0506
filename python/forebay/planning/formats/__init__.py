"""Files that hold planning problems and plans."""

from forebay.planning.formats.files import read_problem, write_plan, write_problem

__all__ = ["read_problem", "write_plan", "write_problem"]
