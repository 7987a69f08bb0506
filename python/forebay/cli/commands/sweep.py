"""`forebay sweep`: compiles networks under many configurations, into a table."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Callable, Generator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from forebay.errors import Error

if TYPE_CHECKING:
    from forebay.formats.sweep_record import SweepRecord

TABLE = Path("results.parquet")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of the command."""
    parser.add_argument("study", type=Path, metavar="FILE.yaml", help="what to try")
    parser.add_argument(
        "-o",
        "--output",
        type=Path,
        default=TABLE,
        metavar="FILE",
        help=f".parquet, .csv or .jsonl; default: {TABLE}",
    )
    parser.add_argument(
        "--scheduler",
        default="processes",
        metavar="processes|dask|ADDRESS",
        help="processes of this machine (default), a Dask cluster on it, or the address of a "
        "running cluster, tcp://host:8786",
    )
    parser.add_argument(
        "--jobs", type=int, metavar="N", help="processes; default: one per processor"
    )
    parser.add_argument(
        "--cache", type=Path, metavar="DIR", help="records of earlier runs; default: ~/.cache"
    )
    parser.add_argument("--pareto", type=Path, metavar="FILE.html", help="draw bytes against cost")
    parser.add_argument(
        "--trials",
        type=int,
        metavar="N",
        help="try N configurations that Optuna chooses instead of all, for one network",
    )
    parser.add_argument(
        "--minimise",
        default="workspace,cycles",
        metavar="NAME,NAME",
        help="with --trials: the objectives; default: workspace,cycles",
    )
    parser.set_defaults(run=_run)


def _run(arguments: argparse.Namespace) -> int:
    """Return 0, or 1 if a configuration failed with a bug or a crash."""
    from forebay.reports import table  # noqa: PLC0415
    from forebay.support.files import require_writable, write_whole  # noqa: PLC0415
    from forebay.sweep.pareto import pareto_page  # noqa: PLC0415
    from forebay.sweep.report_text import sweep_parts  # noqa: PLC0415
    from forebay.sweep.table_file import require_table_file, write_table  # noqa: PLC0415

    if arguments.jobs is not None and arguments.jobs < 1:
        raise Error(f"--jobs {arguments.jobs}: give a number of at least 1")
    if arguments.cache is not None and arguments.cache.exists() and not arguments.cache.is_dir():
        raise Error(f"--cache {arguments.cache}: is a file; name a directory")
    require_table_file(arguments.output)
    if arguments.pareto is not None:
        require_writable(arguments.pareto)
    records = _records(arguments)
    write_table(records, arguments.output)
    if arguments.pareto is not None:
        write_whole(arguments.pareto, pareto_page(records, arguments.study.stem))
    table.show(sweep_parts(records))
    print(f"wrote {arguments.output}: {len(records)} rows")
    return int(any(record.outcome == "failed" for record in records))


def _records(arguments: argparse.Namespace) -> tuple[SweepRecord, ...]:
    from forebay.sweep.run import run_sweep  # noqa: PLC0415
    from forebay.sweep.search import search  # noqa: PLC0415
    from forebay.sweep.study import read_study  # noqa: PLC0415

    study = read_study(arguments.study)
    if arguments.trials is not None:
        objectives = arguments.minimise.split(",")
        return search(study, objectives, arguments.trials, cache=arguments.cache)
    jobs = arguments.jobs or len(os.sched_getaffinity(0))
    with _shown_done() as show_done:
        return run_sweep(
            study,
            scheduler=arguments.scheduler,
            jobs=jobs,
            cache=arguments.cache,
            show_done=show_done,
        )


@contextmanager
def _shown_done() -> Generator[Callable[[int, int], None]]:
    """Yield a function that shows what is done and the time left, on a terminal only."""
    if not sys.stderr.isatty():
        yield _show_nothing
        return
    from rich.console import Console  # noqa: PLC0415
    from rich.progress import (  # noqa: PLC0415
        BarColumn,
        MofNCompleteColumn,
        Progress,
        TimeElapsedColumn,
        TimeRemainingColumn,
    )

    columns = (BarColumn(), MofNCompleteColumn(), TimeElapsedColumn(), TimeRemainingColumn())
    console = Console(file=sys.stderr)
    with Progress(*columns, console=console, transient=True, redirect_stdout=False) as progress:
        line = progress.add_task("sweep", total=None)
        yield lambda done, total: progress.update(line, completed=done, total=total)


def _show_nothing(done: int, total: int) -> None:
    """Show nothing, because standard error is no terminal."""
