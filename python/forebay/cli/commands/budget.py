"""`forebay budget`: prints how few bytes the pools can have, and for how much work."""

from __future__ import annotations

import argparse
from pathlib import Path

from forebay.cli.model import add_model
from forebay.cli.options import options_of_arguments
from forebay.cli.progress import shown_progress

POINTS = 8
"""The number of plans per pool by default."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of the command."""
    add_model(parser)
    parser.add_argument(
        "--points", type=int, default=POINTS, metavar="N", help=f"plans per pool; default: {POINTS}"
    )
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the report as JSON")
    parser.add_argument("--plot", type=Path, metavar="FILE.svg", help="write it as a picture")
    parser.set_defaults(run=_run)


def _run(arguments: argparse.Namespace) -> int:
    from forebay import targets  # noqa: PLC0415
    from forebay.driver.budget import budget_report  # noqa: PLC0415
    from forebay.formats.writing import json_text  # noqa: PLC0415
    from forebay.reports import table  # noqa: PLC0415
    from forebay.reports.budget import budget_parts, budget_picture  # noqa: PLC0415
    from forebay.support.files import require_writable, write_whole  # noqa: PLC0415

    for file in (arguments.json, arguments.plot):
        if file is not None:
            require_writable(file)
    with shown_progress() as show_stage, targets.once():
        options = options_of_arguments(arguments, show_stage)
        show_stage("budgets")
        report = budget_report(arguments.model, options, max(2, arguments.points))
    table.show(budget_parts(report))
    if arguments.json is not None:
        write_whole(arguments.json, json_text(report))
    if arguments.plot is not None:
        write_whole(arguments.plot, budget_picture(report))
    return 0
