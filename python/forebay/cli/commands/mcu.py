"""`forebay mcu`: builds a network for an emulated microcontroller, runs it, reports its cost."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

from forebay.cli.model import add_model, compiled
from forebay.cli.progress import ShowStage, shown_progress
from forebay.errors import Error
from forebay.support.files import require_writable, write_whole

if TYPE_CHECKING:
    from forebay.driver.compiled import Compiled
    from forebay.formats.mcu_report import McuReport


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of the command."""
    add_model(parser)
    parser.add_argument(
        "--board",
        required=True,
        help="an emulated board, for example mps3-an547; an unknown name lists all boards",
    )
    parser.add_argument(
        "--golden",
        type=Path,
        metavar="FILE.npz",
        help="inputs and outputs (in0_0, out0_0, ...); default: drawn inputs, outputs of the model",
    )
    parser.add_argument(
        "--pool",
        action="append",
        default=[],
        metavar="NAME=MEMORY",
        help="put a pool into a memory of the board; repeatable",
    )
    parser.add_argument("-o", "--output", type=Path, metavar="DIR", help="keep sources and image")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the report as JSON")
    parser.add_argument(
        "--timeout", type=float, default=120.0, metavar="SECONDS", help="of the run; default: 120"
    )
    parser.set_defaults(run=_run)


def _run(arguments: argparse.Namespace) -> int:
    with shown_progress() as show_stage:
        network, report = _compile_and_run(arguments, show_stage)
    _print_report(report, arguments)
    if network.info.devices:
        names = ", ".join(device.name for device in network.info.devices)
        print(
            f"devices: the board has none; {names} ran as references in portable C, whose "
            "instructions are counted here"
        )
    return 0


def _compile_and_run(
    args: argparse.Namespace,
    show_stage: ShowStage,
) -> tuple[Compiled, McuReport]:
    """Compile, build and run; raise `Error` for any failure."""
    from forebay.codegen.project.build_files.output_directory import require_replaceable  # noqa: PLC0415
    from forebay.mcu import boards, measure  # noqa: PLC0415
    from forebay.network.arrays import read_golden  # noqa: PLC0415  (MLIR is loaded only where needed)

    board = boards.load(args.board)
    pools = dict(_pool_and_memory(text) for text in args.pool)
    if args.output is not None:
        require_replaceable(args.output, lambda _: True)
    if args.json is not None:
        require_writable(args.json)
    network = compiled(args, show_stage)
    golden = ()
    if args.golden is not None:
        golden = read_golden(args.golden, network.inputs, network.outputs)
    show_stage(f"build and run on {args.board}")
    report = measure(
        network, board, golden=golden, pools=pools, directory=args.output, timeout=args.timeout
    )
    return network, report


def _print_report(report: McuReport, args: argparse.Namespace) -> None:
    """Print the report, and write it as JSON if asked to."""
    from forebay.formats.writing import json_text  # noqa: PLC0415
    from forebay.mcu.run.report_text import report_parts_of  # noqa: PLC0415
    from forebay.reports.table import show  # noqa: PLC0415

    show(report_parts_of(report))
    if args.json is not None:
        write_whole(args.json, json_text(report, indent=2))


def _pool_and_memory(text: str) -> tuple[str, str]:
    pool, _, memory = text.rpartition("=")
    if not pool or not memory:
        raise Error(f"--pool {text}: write NAME=MEMORY, for example --pool workspace=sram")
    return pool, memory
