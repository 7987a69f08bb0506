"""Command-line options for the reports of a compilation: the page, and off-load."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

from forebay.errors import Error
from forebay.support.files import require_writable, write_whole

if TYPE_CHECKING:
    from forebay.driver.compiled import Compiled


def add_report_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options for the files of reports."""
    parser.add_argument(
        "--offload-report",
        metavar="FILE",
        help="write what runs where and why as JSON, or print it as text if FILE is '-'",
    )
    parser.add_argument(
        "--report",
        type=Path,
        metavar="FILE.html",
        help="write a page that shows the plan, as forebay view does",
    )
    parser.add_argument(
        "--save-placement",
        type=Path,
        metavar="FILE",
        help="write the devices of all operators for --placement, to be edited",
    )


def check_report_files(arguments: argparse.Namespace) -> None:
    """Raise `Error` if a report cannot be written, before compiling."""
    if arguments.offload_report not in (None, "-"):
        require_writable(Path(arguments.offload_report))
    for path in (arguments.save_placement, arguments.report):
        if path is not None:
            require_writable(path)


def write_reports(compiled: Compiled, arguments: argparse.Namespace) -> None:
    """Write the requested reports; raise `Error` for a program that no target partitioned."""
    from forebay.reports.table import show  # noqa: PLC0415

    if arguments.report is not None:
        _write_page(compiled, arguments.report)
    if arguments.offload_report is None and arguments.save_placement is None:
        return
    if compiled.offload is None:
        raise Error("the module declares its devices itself, so there is no off-load to report")
    if arguments.offload_report == "-":
        show(compiled.offload.parts())
    elif arguments.offload_report is not None:
        write_whole(Path(arguments.offload_report), compiled.offload.to_json())
    if arguments.save_placement is not None:
        write_whole(arguments.save_placement, compiled.offload.placement())


def _write_page(compiled: Compiled, path: Path) -> None:
    from forebay.view.from_memory_map import data_of_memory_map  # noqa: PLC0415
    from forebay.view.page import page  # noqa: PLC0415

    write_whole(path, page(data_of_memory_map(compiled.memory_map)))
