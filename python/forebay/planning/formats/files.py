"""Reading and writing of problems and plans; the suffix of the file selects the format."""

from __future__ import annotations

from pathlib import Path

from forebay.planning.formats.csv_format import parse_csv, print_csv
from forebay.planning.formats.csv_problem import print_csv_problem
from forebay.planning.model.errors import FormatError
from forebay.planning.model.plan import Plan
from forebay.planning.model.problem import Problem
from forebay.support.files import write_whole

PROBLEM_SUFFIXES = (".csv", ".json")
_EITHER = " or ".join(PROBLEM_SUFFIXES)


def read_problem(path: Path) -> Problem:
    """Read a problem from a .csv or .json file; raise `FormatError` if it cannot be parsed."""
    if path.suffix not in PROBLEM_SUFFIXES:
        raise FormatError(f"{path}: a problem is a {_EITHER} file")
    try:
        text = path.read_text(encoding="utf-8")
        return parse_csv(text, path.stem) if path.suffix == ".csv" else _parse_json(text, path.stem)
    except OSError as error:
        raise FormatError(f"{path}: {error.strerror}") from error
    except UnicodeDecodeError as error:
        raise FormatError(f"{path}: not UTF-8 text") from error
    except FormatError as error:
        raise FormatError(f"{path}: {error}") from error


def write_plan(plan: Plan, path: Path) -> None:
    """Write a plan as .csv (one row per buffer with its offset) or .json.

    Raises `FormatError` for another suffix.
    """
    if path.suffix not in PROBLEM_SUFFIXES:
        raise FormatError(f"{path}: a plan is written as {_EITHER}")
    write_whole(path, print_csv(plan) if path.suffix == ".csv" else _print_json_plan(plan))


def write_problem(problem: Problem, path: Path) -> None:
    """Write a problem as .json or .csv; raise `FormatError` if a .csv cannot represent it."""
    if path.suffix not in PROBLEM_SUFFIXES:
        raise FormatError(f"{path}: a problem is written as {_EITHER}")
    try:
        text = print_csv_problem(problem) if path.suffix == ".csv" else _print_json(problem)
    except FormatError as error:
        raise FormatError(f"{path}: {error}") from error
    write_whole(path, text)


def _parse_json(text: str, name: str) -> Problem:
    from forebay.planning.formats.json_problem import parse_json_problem  # noqa: PLC0415

    return parse_json_problem(text, name)


def _print_json(problem: Problem) -> str:
    from forebay.planning.formats.json_problem import print_json_problem  # noqa: PLC0415

    return print_json_problem(problem)


def _print_json_plan(plan: Plan) -> str:
    from forebay.planning.formats.json_plan import print_json_plan  # noqa: PLC0415

    return print_json_plan(plan)
