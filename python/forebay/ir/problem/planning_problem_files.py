"""Planning problems and plans as `.mlir` files: one `memref_pool.problem` each."""

from __future__ import annotations

from pathlib import Path

from mlir import ir

import forebay.dialects  # noqa: F401  # pyright: ignore[reportUnusedImport]  (registers)
from forebay.ir.problem.planning_problem import annotate_plan, problem_of_op, problems_in
from forebay.ir.problem.planning_problem_writer import build_problem
from forebay.planning import FormatError, Plan, Problem, write_problem
from forebay.planning.formats.files import PROBLEM_SUFFIXES
from forebay.support.files import write_whole


def read_problem_file(path: Path) -> Problem:
    """Return the only problem in a `.mlir` file; raises `FormatError` if it cannot be read."""
    try:
        text = path.read_text(encoding="utf-8")
    except OSError as error:
        raise FormatError(f"{path}: {error.strerror}") from error
    except UnicodeDecodeError as error:
        raise FormatError(f"{path}: not UTF-8 text") from error
    with ir.Context(), ir.Location.file(path.name, 0, 0):
        module = _parse(text, path)
        found = [problem_of_op(op) for op in problems_in(module.operation)]
    if len(found) != 1:
        names = ", ".join(f"@{problem.name}" for problem in found) or "none"
        raise FormatError(
            f"{path}: needs one memref_pool.problem, has {names}; "
            f"forebay-opt --memref-pool-solve plans any number of them"
        )
    return found[0]


def has_problem(path: Path) -> bool:
    """Return whether a `.mlir` file has planning problems; a file that cannot be read has none."""
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError):
        return False
    if "memref_pool.problem" not in text:
        return False
    with ir.Context(), ir.Location.file(path.name, 0, 0):
        return any(True for _ in problems_in(_parse(text, path).operation))


def problem_text(problem: Problem, found: Plan | None = None) -> str:
    """Return the problem as MLIR text, with placements and certificates if there is a plan."""
    with ir.Context(), ir.Location.unknown():
        module = ir.Module.create()
        with ir.InsertionPoint(module.body):
            op = build_problem(problem)
            if found is not None:
                annotate_plan(op, found)
            op.operation.verify()
        return f"{op}\n"


def write_problem_file(problem: Problem, path: Path) -> None:
    """Write a problem as .mlir, .json or .csv; raises `FormatError` for any other suffix."""
    if path.suffix == ".mlir":
        write_whole(path, problem_text(problem))
    elif path.suffix in PROBLEM_SUFFIXES:
        write_problem(problem, path)
    else:
        known = ", ".join([".mlir", *PROBLEM_SUFFIXES])
        raise FormatError(f"{path}: a problem is written as one of {known}")


def _parse(text: str, path: Path) -> ir.Module:
    try:
        return ir.Module.parse(text)
    except ir.MLIRError as error:  # pyright: ignore[reportAttributeAccessIssue]
        first = error.error_diagnostics[0]
        where = first.location
        line = f":{where.start_line}:{where.start_col}" if where.is_a_file() else ""
        raise FormatError(f"{path}{line}: {first.message}") from error
