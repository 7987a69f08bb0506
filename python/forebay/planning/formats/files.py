"""Reading and writing of problems and plans; the suffix of the file selects the format."""

from __future__ import annotations

from pathlib import Path

from forebay.planning.formats.csv_format import parse_csv, print_csv
from forebay.planning.formats.csv_problem import print_csv_problem
from forebay.planning.formats.json_format import parse_json, print_json
from forebay.planning.formats.json_problem import print_json_problem
from forebay.planning.model.errors import FormatError
from forebay.planning.model.plan import Plan
from forebay.planning.model.problem import Problem
from forebay.support.files import write_whole

PROBLEM_SUFFIXES = (".csv", ".json")


def read_problem(path: Path) -> Problem:
    """Read a problem from a .csv or .json file; raise `FormatError` if it cannot be parsed."""
    parsers = {".csv": parse_csv, ".json": parse_json}
    if path.suffix not in parsers:
        raise FormatError(f"{path}: a problem is a {' or '.join(parsers)} file")
    try:
        return parsers[path.suffix](path.read_text(encoding="utf-8"), path.stem)
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
    printers = {".csv": print_csv, ".json": print_json}
    if path.suffix not in printers:
        raise FormatError(f"{path}: a plan is written as {' or '.join(printers)}")
    write_whole(path, printers[path.suffix](plan))


def write_problem(problem: Problem, path: Path) -> None:
    """Write a problem as .json or .csv; raise `FormatError` if a .csv cannot represent it."""
    printers = {".csv": print_csv_problem, ".json": print_json_problem}
    if path.suffix not in printers:
        raise FormatError(f"{path}: a problem is written as {' or '.join(printers)}")
    try:
        text = printers[path.suffix](problem)
    except FormatError as error:
        raise FormatError(f"{path}: {error}") from error
    write_whole(path, text)
