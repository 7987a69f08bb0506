"""`forebay doctor`: prints what is installed, and checks what works."""

from __future__ import annotations

import argparse
from pathlib import Path

from forebay.cli.progress import shown_progress


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of the command."""
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the report as JSON")
    parser.set_defaults(run=_run)


def _run(arguments: argparse.Namespace) -> int:
    """Return 0, or 1 if a required package does not fit or something installed fails."""
    from forebay.doctor.report import environment_report, is_broken, report_parts  # noqa: PLC0415
    from forebay.formats.writing import json_text  # noqa: PLC0415
    from forebay.reports import table  # noqa: PLC0415
    from forebay.support.files import require_writable, write_whole  # noqa: PLC0415

    if arguments.json is not None:
        require_writable(arguments.json)
    with shown_progress() as show_stage:
        show_stage("check")
        report = environment_report()
    table.show(report_parts(report))
    if arguments.json is not None:
        write_whole(arguments.json, json_text(report))
    return int(is_broken(report))
