"""Command-line options for the reports of a compilation: the page, and off-load."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from forebay.errors import Error
from forebay.support.files import require_writable, write_whole
from forebay.support.listed import first_repeated

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


def check_report_files(arguments: argparse.Namespace, directory: Path) -> None:
    """Raise `Error` if a report cannot be written beside the output's files, before compiling."""
    paths = _report_files(arguments)
    for path in paths:
        require_writable(path)
    twice = first_repeated(str(path.resolve()) for path in paths)
    if twice is not None:
        raise Error(f"{twice}: two reports have this name; name two files")
    _require_no_output(paths, directory)


def write_reports(compiled: Compiled, arguments: argparse.Namespace, directory: Path) -> None:
    """Write the requested reports.

    Raises `Error` for the name of a file that was written to the directory, and for a program that
    no target partitioned.
    """
    from forebay.reports.table import show  # noqa: PLC0415

    _require_no_output(_report_files(arguments), directory)
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


def _report_files(arguments: argparse.Namespace) -> list[Path]:
    report = arguments.offload_report
    offload = None if report in (None, "-") else Path(report)
    files = (offload, arguments.save_placement, arguments.report)
    return [path for path in files if path is not None]


def _require_no_output(paths: Sequence[Path], directory: Path) -> None:
    """Raise `Error` if one of the paths is a file that Forebay wrote to the directory."""
    from forebay.codegen.project.build_files.output_manifest import is_output  # noqa: PLC0415

    for path in paths:
        if is_output(path, directory):
            raise Error(
                f"{path}: this is a file of the output in '{directory}', which the report would "
                "overwrite; name another file"
            )


def _write_page(compiled: Compiled, path: Path) -> None:
    from forebay.view.from_memory_map import data_of_memory_map  # noqa: PLC0415
    from forebay.view.page import page  # noqa: PLC0415

    write_whole(path, page(data_of_memory_map(compiled.memory_map)))
