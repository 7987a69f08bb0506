"""`forebay compile`: compiles a model to a C project."""

from __future__ import annotations

import argparse
from pathlib import Path

from forebay.cli.model import add_model, compiled
from forebay.cli.options import add_fields, fields_of
from forebay.cli.pools import target_argument
from forebay.cli.progress import shown_progress
from forebay.cli.report_files import add_report_arguments, check_report_files, write_reports
from forebay.options.project_options import ProjectOptions


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of the command."""
    add_model(parser)
    parser.add_argument("-o", "--output", type=Path, metavar="DIR", help="default: ./<model>")
    add_fields(parser, ProjectOptions)
    add_report_arguments(parser)
    parser.set_defaults(run=_run)


def _run(arguments: argparse.Namespace) -> int:
    from forebay.codegen.project.project import require_project_directory  # noqa: PLC0415
    from forebay.driver.emission import (  # noqa: PLC0415
        chosen_code,
        chosen_emission,
        require_emission_directory,
    )
    from forebay.driver.ir_forms import IR_FORMS  # noqa: PLC0415
    from forebay.driver.summary import summary_parts  # noqa: PLC0415
    from forebay.reports import table  # noqa: PLC0415

    directory = arguments.output or Path(arguments.model.stem)
    processor = chosen_code(arguments.emit, arguments.triple, arguments.cpu)
    if arguments.emit in IR_FORMS:
        require_emission_directory(directory)
    elif arguments.emit in (None, "c") or processor is not None:
        require_project_directory(directory, arguments.model.stem)
    else:
        chosen_emission(target_argument(arguments), arguments.emit)
        require_emission_directory(directory)
    check_report_files(arguments, directory)
    with shown_progress() as show_stage:
        network = compiled(arguments, show_stage)
        show_stage("write")
        network.write(directory, **fields_of(arguments, ProjectOptions))
    table.show(summary_parts(network))
    if network.golden is not None and not network.golden.is_independent:
        print(f"self-test: its expected outputs are {network.golden.origin}")
    if network.golden is not None and network.golden.deviation is not None:
        print(network.golden.deviation)
    write_reports(network, arguments, directory)
    print(f"wrote {directory}: {', '.join(_written_to(directory))}")
    return 0


def _written_to(directory: Path) -> list[str]:
    """Return the files and folders that this run wrote, without the user's own."""
    from forebay.codegen.project.build_files.output_manifest import read_manifest  # noqa: PLC0415

    manifest = read_manifest(directory)
    return sorted({name.split("/")[0] for name in manifest.names}) if manifest else []
