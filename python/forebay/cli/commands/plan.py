"""`forebay plan`: plans a problem from a file, prints the certificate, writes plan and picture."""

from __future__ import annotations

import argparse
import time
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from forebay.cli.progress import shown_progress
from forebay.planning import (
    Effort,
    FormatError,
    Plan,
    PoolCertificate,
    Problem,
    ProblemError,
    certify,
    plan,
    planner_names,
    read_problem,
    write_plan,
)
from forebay.planning.picture import write_picture
from forebay.reports.table import ReportPart, TextTable, show
from forebay.support.files import require_writable, write_whole
from forebay.support.sizes import size_of

_LONGEST = 60
"""The most characters of a name that the command prints."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of `forebay plan`."""
    parser.add_argument("problem", type=Path, help="problem as .csv (MiniMalloc's), .json or .mlir")
    parser.add_argument(
        "--capacity",
        action="append",
        default=[],
        metavar="POOL=BYTES",
        help="limit a pool, to 64K for example; a CSV file's one pool is called 'memory'",
    )
    parser.add_argument(
        "--planner",
        default="auto",
        metavar="NAME|FILE",
        help=f"one of {', '.join(planner_names())}; or a Python file with plan(buffers, pools)",
    )
    parser.add_argument("--effort", choices=[e.value for e in Effort], default="normal")
    parser.add_argument(
        "--out", type=Path, metavar="FILE", help="write the plan: .csv, .json or .mlir"
    )
    parser.add_argument("--plot", type=Path, metavar="FILE", help="draw it: .svg, .html or .png")
    parser.set_defaults(run=_run)


def _run(args: argparse.Namespace) -> int:
    """Plan and report; return 0, and raise `Error` for any failure."""
    _check_files(args)
    problem = with_capacities(_read(args.problem), args.capacity)
    with shown_progress() as show_stage:
        show_stage("plan")
        started = time.perf_counter()
        found = plan(problem, args.planner, Effort(args.effort))
        seconds = time.perf_counter() - started
    show(report(found, seconds))
    if args.out is not None:
        _write(found, args.out)
    if args.plot is not None:
        write_picture(found, args.plot)
    return 0


def _check_files(args: argparse.Namespace) -> None:
    """Refuse unknown file types and files that cannot be written, before planning."""
    for path, known in (
        (args.problem, (".csv", ".json", ".mlir")),
        (args.out, (".csv", ".json", ".mlir")),
        (args.plot, (".svg", ".html", ".png")),
    ):
        if path is not None and path.suffix not in known:
            raise FormatError(f"{path}: needs one of the suffixes {', '.join(known)}")
    for path in (args.out, args.plot):
        if path is not None:
            require_writable(path)


def _read(path: Path) -> Problem:
    """Return the problem of a file, checked; an error begins with the path."""
    problem = _parsed(path)
    try:
        problem.check()
    except ProblemError as error:
        raise ProblemError(f"{path}: {error}", buffers=error.buffers, pools=error.pools) from error
    return problem


def _parsed(path: Path) -> Problem:
    if path.suffix != ".mlir":
        return read_problem(path)
    from forebay.ir.problem.planning_problem_files import read_problem_file  # noqa: PLC0415  (loads MLIR)

    return read_problem_file(path)


def _write(found: Plan, path: Path) -> None:
    if path.suffix != ".mlir":
        write_plan(found, path)
        return
    from forebay.ir.problem.planning_problem_files import problem_text  # noqa: PLC0415  (loads MLIR)

    write_whole(path, problem_text(found.problem, found))


def with_capacities(problem: Problem, limits: Sequence[str]) -> Problem:
    """Return the problem with the `POOL=BYTES` limits; raise `ProblemError` for a bad limit."""
    pools = {pool.name: pool for pool in problem.pools}
    for limit in limits:
        name, equals, size = limit.rpartition("=")
        if not equals:
            raise ProblemError(f"--capacity {limit}: write POOL=BYTES")
        if name not in pools:
            known = ", ".join(pools)
            raise ProblemError(f"--capacity {limit}: there is no pool '{name}'; pools: {known}")
        try:
            pools[name] = replace(pools[name], capacity=size_of(size))
        except ValueError as error:
            raise ProblemError(f"--capacity {limit}: {error}") from error
    return replace(problem, pools=tuple(pools.values()))


def report(found: Plan, seconds: float) -> list[ReportPart]:
    """Return the table of pools, the certificates, and the cost of the choice of pools."""
    problem, certificates = found.problem, certify(found)
    parts: list[ReportPart] = [
        f"{problem.name}: {len(problem.buffers):,} buffers by '{found.planner}' in {seconds:.2f} s",
        _pools(found, certificates),
    ]
    for certificate in certificates:
        parts += _argument(certificate)
    if any(len(buffer.pools) > 1 for buffer in problem.buffers):
        parts.append(f"cost of the choice of pools: {found.cost:,}")
    if problem.separations:
        count = len(problem.separations)
        parts.append(f"penalty of pairs that had better lie apart ({count:,}): {found.penalty:,}")
    return parts


def _pools(found: Plan, certificates: Sequence[PoolCertificate]) -> TextTable:
    head = ["pool", "buffers", "capacity", "peak", "bound", "gap"]
    rows: list[list[str]] = []
    for c in certificates:
        capacity = found.problem.pool_by_name[c.pool].capacity
        limit = "unlimited" if capacity is None else f"{capacity:,}"
        gap = f"{c.gap / c.lower_bound:.2%}" if c.lower_bound else "-"
        count = f"{len(found.in_pool(c.pool)):,}"
        rows.append([c.pool, count, limit, f"{c.peak:,}", f"{c.lower_bound:,}", gap])
    return TextTable(head, rows, numbers=range(1, 6))


def _argument(certificate: PoolCertificate) -> list[str]:
    """Return the reason of a pool's lower bound, and the holes; nothing for an empty pool."""
    c = certificate
    if not c.peak:
        return []
    state = f"optimal, proved by {c.argument}" if c.optimal else f"not proved; {c.argument}"
    at = f" at '{_short(c.step)}'" if c.step else ""
    shown = ", ".join(map(_short, c.at_bound[:6])) + (", ..." if len(c.at_bound) > 6 else "")
    lines = [f"{c.pool}: {state}{at}" + (f"; buffers: {shown}" if shown else "")]
    if c.gap and c.holes:
        lines.append(f"{c.pool}: largest holes then: {', '.join(map(str, c.holes))}")
    return lines


def _short(name: str) -> str:
    """Return a name that fits into a line; networks have names of several hundred characters."""
    return name if len(name) <= _LONGEST else f"{name[: _LONGEST - 23]}...{name[-20:]}"
