"""`forebay compile`: compiles a model to a C project."""

from __future__ import annotations

import argparse
from pathlib import Path

from forebay.cli.model import add_model, compiled
from forebay.cli.progress import shown_progress
from forebay.cli.target import (
    add_report_arguments,
    check_report_files,
    target_argument,
    write_reports,
)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of the command."""
    add_model(parser)
    parser.add_argument("-o", "--output", type=Path, metavar="DIR", help="default: ./<model>")
    parser.add_argument(
        "--golden",
        type=Path,
        metavar="FILE.npz",
        help="inputs and outputs of the self-test (in0_0, out0_0, ...); default: drawn inputs, and "
        "the outputs of an interpreter of the model, with which the program must agree",
    )
    parser.add_argument(
        "--golden-from",
        choices=("model", "program"),
        default="model",
        help="the source of the self-test's outputs for drawn inputs: the model, or the program "
        "itself, for devices and passes that change values on purpose",
    )
    parser.add_argument(
        "--weights-blob",
        action="store_true",
        help="keep constants out of the image: a file per pool, which the application puts there",
    )
    parser.add_argument(
        "--internal-pools",
        action="store_true",
        help="define the pools inside the C code, whose functions take only inputs and outputs",
    )
    parser.add_argument(
        "--emit",
        metavar="NAME",
        help="write this emission of the target instead of the C project (docs/targets.md); an "
        "unknown name lists those of the target",
    )
    add_report_arguments(parser)
    parser.set_defaults(run=_run)


def _run(arguments: argparse.Namespace) -> int:
    from forebay.codegen.project.project import require_project_directory  # noqa: PLC0415
    from forebay.driver.emission import (  # noqa: PLC0415
        chosen_emission,
        require_emission_directory,
    )
    from forebay.driver.summary import summary  # noqa: PLC0415
    from forebay.reports import table  # noqa: PLC0415

    directory = arguments.output or Path(arguments.model.stem)
    if arguments.emit is None:
        require_project_directory(directory, arguments.model.stem)
    else:
        chosen_emission(target_argument(arguments), arguments.emit)
        require_emission_directory(directory)
    check_report_files(arguments)
    with shown_progress() as show_stage:
        network = compiled(arguments, show_stage)
        golden = None
        if arguments.golden is not None:
            from forebay.network.arrays import read_golden  # noqa: PLC0415

            golden = read_golden(arguments.golden, network.inputs, network.outputs)
        show_stage("write")
        network.write(
            directory,
            golden=golden,
            golden_from=arguments.golden_from,
            weights_blob=arguments.weights_blob,
            internal_pools=arguments.internal_pools,
            emit=arguments.emit,
        )
    table.show(summary(network))
    if network.golden is not None and not network.golden.is_independent:
        print(f"self-test: its expected outputs are {network.golden.origin}")
    write_reports(network, arguments)
    print(f"wrote {directory}: {', '.join(_written_to(directory))}")
    return 0


def _written_to(directory: Path) -> list[str]:
    """Return the files and folders that this run wrote, without the user's own."""
    from forebay.codegen.project.build_files.output_manifest import read_manifest  # noqa: PLC0415

    manifest = read_manifest(directory)
    return sorted({name.split("/")[0] for name in manifest.names}) if manifest else []
