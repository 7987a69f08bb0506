"""`forebay run`: compile a model and run it here, by any engine."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from forebay.errors import Error
from forebay.files import require_writable

if TYPE_CHECKING:
    from forebay.compiled import Compiled
    from forebay.emulator import EmulatorEngine

Arrays = tuple[NDArray[Any], ...]


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """What the command takes beside a model and a target."""
    parser.add_argument("--input", type=Path, metavar="FILE", help=".npy, .npz or .png")
    parser.add_argument("--output", type=Path, metavar="FILE.npz", help="write the outputs")
    parser.add_argument("--engine", choices=("c", "llvm", "emulator"), default="c")
    parser.add_argument(
        "--trace",
        type=Path,
        metavar="FILE.json",
        help="with the emulator: write the modelled timeline, for Perfetto or Chrome",
    )
    parser.add_argument(
        "--check-values",
        action="store_true",
        help="with the emulator: stop at the first operator whose result is not what the model "
        "computes on the host",
    )


@dataclass(frozen=True, eq=False)
class Ran:
    """A run, and the emulator if it was in one."""

    compiled: Compiled
    outputs: Arrays
    emulator: EmulatorEngine | None = None


def run(
    arguments: argparse.Namespace,
    compile_model: Callable[[argparse.Namespace], Compiled],
    show: Callable[[str], None],
) -> Ran:
    """Compile and run; `show` is told what is going on."""
    for flag, is_given, what in (
        ("--trace", arguments.trace is not None, "writes what the emulator models"),
        ("--check-values", arguments.check_values, "is a check of the emulator's"),
    ):
        if is_given and arguments.engine != "emulator":
            raise Error(f"{flag} {what}; add --engine emulator")
    for path in (arguments.output, arguments.trace):
        if path is not None:
            require_writable(path)
    compiled = compile_model(arguments)
    inputs = _inputs(compiled, arguments.input)
    show("run")
    if arguments.engine == "emulator":
        return _emulated(compiled, inputs, arguments, show)
    compiled.reset(arguments.engine)
    result = compiled.run(*inputs, engine=arguments.engine)
    return Ran(compiled, result if isinstance(result, tuple) else (result,))


def _emulated(
    compiled: Compiled,
    inputs: Arrays,
    arguments: argparse.Namespace,
    show: Callable[[str], None],
) -> Ran:
    def progress(done: int, total: int) -> None:
        show(f"run: {done} of {total} ops")

    engine = compiled.emulator(check_values=arguments.check_values)
    engine.reset()
    return Ran(compiled, engine.run(inputs, progress=progress), engine)


def tell(ran: Ran, arguments: argparse.Namespace) -> None:
    """Print the outputs, and what the emulator has to say."""
    _tell_outputs(ran.compiled, ran.outputs, arguments.output)
    if ran.emulator is not None:
        print(ran.emulator.report)
        if arguments.check_values:
            _tell_values(ran.emulator)
        if arguments.trace is not None:
            _write_trace(ran.emulator, ran.compiled.info.name, arguments.trace)


def _inputs(compiled: Compiled, path: Path | None) -> Arrays:
    from forebay.arrays import read_inputs  # noqa: PLC0415
    from forebay.golden.steps import random_input  # noqa: PLC0415

    if path is not None:
        return read_inputs(path, compiled.inputs)
    generator = np.random.default_rng(0)
    print("no --input: running on values drawn from a fixed seed", file=sys.stderr)
    return tuple(random_input(generator, port) for port in compiled.inputs)


def _tell_outputs(compiled: Compiled, outputs: Arrays, path: Path | None) -> None:
    from forebay.arrays import write_outputs  # noqa: PLC0415

    named = {port.name: value for port, value in zip(compiled.outputs, outputs, strict=True)}
    if path is not None:
        write_outputs(path, named)
        print(f"wrote {path}: {', '.join(named)}")
    for name, value in named.items():
        shape = "x".join(map(str, value.shape)) or "scalar"
        print(f"{name}: {value.dtype} {shape}\n{np.array2string(value, threshold=20)}")


def _tell_values(engine: EmulatorEngine) -> None:
    both = len(engine.compared) + len(engine.not_compared)
    print(f"{len(engine.compared)} of {both} tensors are as the model has them, and all outputs")
    for tensor in engine.not_compared:
        print(f"not compared: {tensor.name}")


def _write_trace(engine: EmulatorEngine, name: str, path: Path) -> None:
    from forebay.report.trace import write_trace  # noqa: PLC0415

    write_trace(engine.report.timeline, name, path)
    print(f"wrote {path}: {engine.report.cycles:,} cycles")
