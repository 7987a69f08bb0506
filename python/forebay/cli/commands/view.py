"""`forebay view`: a plan as one HTML page."""

from __future__ import annotations

import argparse
import math
from pathlib import Path
from typing import TYPE_CHECKING

from forebay.cli.model import add_model, compiled
from forebay.cli.progress import ShowStage, shown_progress
from forebay.errors import Error
from forebay.support.files import require_writable, write_whole

if TYPE_CHECKING:
    from forebay.driver.compiled import Compiled
    from forebay.view.plan_data import PlanData


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of the command."""
    add_model(
        parser,
        "a .tflite or .mlir model, the directory that compile wrote, its memory map (.json), or a "
        "planning problem (.csv, .json, .mlir)",
    )
    parser.add_argument(
        "-o", "--output", type=Path, metavar="FILE.html", help="default: ./<name>.html"
    )
    parser.add_argument(
        "--against",
        type=Path,
        metavar="OTHER",
        help="show what changed from this plan: a directory, a memory map, or a problem",
    )
    parser.add_argument(
        "--emulate",
        action="store_true",
        help="run a model once in the emulator, for the modelled timeline",
    )
    parser.add_argument(
        "--host-rate",
        type=float,
        metavar="N",
        help="with --emulate: the host's operations per cycle, so that its kernels have a length",
    )
    parser.add_argument(
        "--trace", type=Path, metavar="FILE", help="show the timeline that run --trace wrote"
    )
    parser.add_argument(
        "--budget-report",
        type=Path,
        metavar="FILE",
        help="show the budgets that forebay budget --json wrote",
    )
    parser.add_argument(
        "--mcu-report",
        type=Path,
        metavar="FILE",
        help="show the instructions of operators that forebay mcu --json wrote",
    )
    parser.set_defaults(run=_run)


def _run(arguments: argparse.Namespace) -> int:
    from forebay.formats.budget_report import BudgetReport  # noqa: PLC0415
    from forebay.formats.mcu_report import McuReport  # noqa: PLC0415
    from forebay.formats.reading import read_file  # noqa: PLC0415
    from forebay.formats.trace import TraceDocument  # noqa: PLC0415
    from forebay.view.instructions import with_instructions  # noqa: PLC0415
    from forebay.view.page import page  # noqa: PLC0415
    from forebay.view.sources import (  # noqa: PLC0415
        read_plan_file,
        require_plan_source,
        with_frontier,
    )
    from forebay.view.timeline import with_timeline  # noqa: PLC0415

    if arguments.host_rate is not None and not 0 < arguments.host_rate < math.inf:
        raise Error(f"--host-rate {arguments.host_rate}: give a number above 0")
    for source in (arguments.model, *filter(None, [arguments.against])):
        require_plan_source(source)
    path = arguments.output or Path(f"{arguments.model.resolve().stem}.html")
    require_writable(path)
    with shown_progress() as show_stage:
        data = _plan_data(arguments, show_stage)
        if arguments.trace is not None:
            data = with_timeline(data, read_file(arguments.trace, TraceDocument))
        if arguments.budget_report is not None:
            data = with_frontier(data, read_file(arguments.budget_report, BudgetReport))
        if arguments.mcu_report is not None:
            data = with_instructions(data, read_file(arguments.mcu_report, McuReport))
        before = None
        if arguments.against is not None:
            before = read_plan_file(arguments.against, arguments.planner)
    write_whole(path, page(data, before))
    print(f"wrote {path}: open it in a browser")
    return 0


def _plan_data(arguments: argparse.Namespace, show_stage: ShowStage) -> PlanData:
    """Return the plan of whatever the argument is."""
    from forebay.view.from_plan import data_of_plan  # noqa: PLC0415
    from forebay.view.sources import is_plan_file, read_plan_file  # noqa: PLC0415

    if is_plan_file(arguments.model):
        _require_no_model_options(arguments)
        return read_plan_file(arguments.model, arguments.planner)
    if _is_problem(arguments.model):
        from forebay.ir.problem.planning_problem_files import read_problem_file  # noqa: PLC0415
        from forebay.planning import plan  # noqa: PLC0415

        _require_no_model_options(arguments)
        return data_of_plan(plan(read_problem_file(arguments.model), arguments.planner))
    return _model_data(compiled(arguments, show_stage), arguments, show_stage)


def _model_data(
    network: Compiled, arguments: argparse.Namespace, show_stage: ShowStage
) -> PlanData:
    from forebay.view.from_memory_map import data_of_memory_map  # noqa: PLC0415
    from forebay.view.timeline import with_timeline  # noqa: PLC0415

    show_stage("memory map")
    data = data_of_memory_map(network.memory_map)
    if not arguments.emulate:
        return data
    from forebay.driver.trace import trace_of  # noqa: PLC0415
    from forebay.golden.steps import drawn_inputs  # noqa: PLC0415

    show_stage("run")
    engine = network.emulator(host_rate=arguments.host_rate)
    engine.reset()
    engine.run(drawn_inputs(network.info)[0])
    return with_timeline(data, trace_of(engine.report.timeline, network.info.name))


def _is_problem(path: Path) -> bool:
    """Return whether an MLIR file has a planning problem instead of a program."""
    if path.suffix != ".mlir":
        return False
    from forebay.ir.problem.planning_problem_files import has_problem  # noqa: PLC0415

    return has_problem(path)


def _require_no_model_options(arguments: argparse.Namespace) -> None:
    if arguments.emulate or arguments.target is not None:
        option = "--emulate" if arguments.emulate else "--target"
        raise Error(f"{option} needs a model, and {arguments.model} is a plan that exists already")
