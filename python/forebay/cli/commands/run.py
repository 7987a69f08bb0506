"""`forebay run`: compiles a model and runs it on this machine, by any engine."""

from __future__ import annotations

import argparse
import math
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from forebay.cli.model import add_model, compiled
from forebay.cli.progress import ShowStage, shown_progress
from forebay.errors import Error
from forebay.support.arrays import Arrays
from forebay.support.files import require_writable

if TYPE_CHECKING:
    from forebay.driver.compiled import Compiled, EngineName
    from forebay.emulator import EmulatorEngine


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of the command."""
    add_model(parser)
    given = parser.add_mutually_exclusive_group()
    given.add_argument(
        "--input",
        type=Path,
        metavar="FILE",
        help=".npy or .png for one input; .npz by the inputs' names, or in0_0, in0_1, ... by "
        "position, in1_0, ... for the next inference",
    )
    given.add_argument(
        "--golden",
        type=Path,
        metavar="FILE.npz",
        help="inputs in0_0, ... and outputs out0_0, ... that the run must give",
    )
    parser.add_argument("--output", type=Path, metavar="FILE.npz", help="write the outputs")
    parser.add_argument("--engine", choices=("c", "llvm", "emulator"), default="c")
    parser.add_argument(
        "--trace",
        type=Path,
        metavar="FILE.json",
        help="with the emulator: write the modelled timeline, for Perfetto or Chrome",
    )
    parser.add_argument(
        "--host-rate",
        type=float,
        metavar="N",
        help="with the emulator: model the host's work, N evaluations of a kernel's body or "
        "elements of a copy per cycle; without it this work takes no time",
    )
    parser.add_argument(
        "--check-values",
        action="store_true",
        help="with the emulator: stop at the first operator whose result is not what the model "
        "computes on the host",
    )
    parser.set_defaults(run=_run)


def _run(arguments: argparse.Namespace) -> int:
    with shown_progress() as show_stage:
        ran = _compile_and_run(arguments, show_stage)
    _print_result(ran, arguments)
    return 0


@dataclass(frozen=True, eq=False)
class RunOutputs:
    """The outputs of each inference from reset, and the emulator if that was the engine."""

    network: Compiled
    outputs: tuple[Arrays, ...]
    emulator: EmulatorEngine | None = None


def _compile_and_run(
    arguments: argparse.Namespace,
    show_stage: ShowStage,
) -> RunOutputs:
    """Compile and run; call `show_stage` with the name of each step."""
    from forebay.network.arrays import require_archive, require_equal  # noqa: PLC0415

    for flag, is_given, what in (
        ("--trace", arguments.trace is not None, "writes what the emulator models"),
        ("--host-rate", arguments.host_rate is not None, "is a parameter of the timing model"),
        ("--check-values", arguments.check_values, "is a check of the emulator's"),
    ):
        if is_given and arguments.engine != "emulator":
            raise Error(f"{flag} {what}; add --engine emulator")
    for path in (arguments.output, arguments.trace):
        if path is not None:
            require_writable(path)
    if arguments.output is not None:
        require_archive(arguments.output)
    if arguments.host_rate is not None and not 0 < arguments.host_rate < math.inf:
        raise Error(f"--host-rate {arguments.host_rate}: give a number above 0")
    network = compiled(arguments, show_stage)
    inputs, expected = _given(network, arguments)
    show_stage("run")
    if arguments.engine == "emulator":
        ran = _emulated(network, inputs, arguments, show_stage)
    else:
        network.reset(arguments.engine)
        ran = RunOutputs(
            network, tuple(_run_by(network, arguments.engine, step) for step in inputs)
        )
    if expected is not None:
        require_equal(network.outputs, ran.outputs, expected, str(arguments.golden))
    return ran


def _run_by(network: Compiled, engine: EngineName, inputs: Arrays) -> Arrays:
    result = network.run(*inputs, engine=engine)
    return result if isinstance(result, tuple) else (result,)


def _emulated(
    network: Compiled,
    inputs: Sequence[Arrays],
    arguments: argparse.Namespace,
    show_stage: ShowStage,
) -> RunOutputs:
    def progress(done: int, total: int) -> None:
        show_stage(f"run: {done} of {total} ops")

    engine = network.emulator(check_values=arguments.check_values, host_rate=arguments.host_rate)
    engine.reset()
    return RunOutputs(
        network, tuple(engine.run(step, progress=progress) for step in inputs), engine
    )


def _print_result(ran: RunOutputs, arguments: argparse.Namespace) -> None:
    """Print the outputs, and the emulator's report."""
    from forebay.reports.table import show  # noqa: PLC0415

    _print_outputs(ran, arguments)
    if ran.emulator is not None:
        show(ran.emulator.report.parts())
        if arguments.check_values:
            _print_value_check(ran.emulator)
        if arguments.trace is not None:
            _write_trace(ran.emulator, ran.network.info.name, arguments.trace)


def _given(
    network: Compiled, arguments: argparse.Namespace
) -> tuple[tuple[Arrays, ...], tuple[Arrays, ...] | None]:
    """Return the inputs of each inference, and the expected outputs if they are known."""
    from forebay.golden.steps import drawn_inputs  # noqa: PLC0415
    from forebay.network.arrays import read_golden, read_inputs  # noqa: PLC0415

    if arguments.golden is not None:
        golden = read_golden(arguments.golden, network.inputs, network.outputs)
        return tuple(step.inputs for step in golden), tuple(step.outputs for step in golden)
    if arguments.input is not None:
        return read_inputs(arguments.input, network.inputs), None
    print("no --input: running on values drawn from a fixed seed", file=sys.stderr)
    return tuple(drawn_inputs(network.info)), None


def _print_outputs(ran: RunOutputs, arguments: argparse.Namespace) -> None:
    from forebay.network.arrays import write_outputs  # noqa: PLC0415

    if arguments.output is not None:
        names = write_outputs(arguments.output, ran.network.outputs, ran.outputs)
        print(f"wrote {arguments.output}: {', '.join(names)}")
    for number, outputs in enumerate(ran.outputs):
        if len(ran.outputs) > 1:
            print(f"inference {number}:")
        for port, value in zip(ran.network.outputs, outputs, strict=True):
            shape = "x".join(map(str, value.shape)) or "scalar"
            print(f"{port.name}: {value.dtype} {shape}\n{np.array2string(value, threshold=20)}")
    if arguments.golden is not None:
        print(f"all outputs are as {arguments.golden} has them: {len(ran.outputs)} inferences")


def _print_value_check(engine: EmulatorEngine) -> None:
    both = len(engine.compared) + len(engine.not_compared)
    print(f"{len(engine.compared)} of {both} tensors are as the model has them, and all outputs")
    for tensor in engine.not_compared:
        print(f"not compared: {tensor.name}")


def _write_trace(engine: EmulatorEngine, name: str, path: Path) -> None:
    from forebay.driver.trace import write_trace  # noqa: PLC0415

    timeline = engine.report.timeline
    write_trace(timeline, name, path)
    without = ", without the host's work" if timeline.unmodelled else ""
    print(f"wrote {path}: {timeline.cycles:,} cycles{without}")
