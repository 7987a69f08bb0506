"""`forebay profile`: prints what each operator took, from the log of a board."""

from __future__ import annotations

import argparse
from pathlib import Path


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of the command."""
    parser.add_argument("log", type=Path, metavar="LOG", help="what the program printed")
    parser.add_argument(
        "directory", type=Path, metavar="DIR", help="the project, written with --operator-hooks"
    )
    parser.set_defaults(run=_run)


def _run(arguments: argparse.Namespace) -> int:
    from forebay.reports import table  # noqa: PLC0415
    from forebay.reports.operator_profile import profile_parts, read_log  # noqa: PLC0415

    table.show(profile_parts(read_log(arguments.log), arguments.directory))
    return 0
