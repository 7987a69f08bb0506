"""Choose the expected outputs of the self-test."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from mlir import ir
from numpy.typing import NDArray

from forebay.engines.llvm import LlvmEngine
from forebay.golden.errors import DifferentValuesError
from forebay.golden.steps import BY_MODEL, Golden, OutputDeviation, drawn_inputs
from forebay.network.engine import Engine
from forebay.network.fixed_memory import FixedMemoryError
from forebay.network.model import GoldenStep, ModelInfo
from forebay.options import Options
from forebay.options.project_options import GoldenFrom
from forebay.pipelines.build import BuiltProgram
from forebay.reference import Interpreter, UnsupportedError
from forebay.values.tensors import differing_elements

"""The source of expected outputs: the interpreter of the model, or the program under test."""

_DEVIATION_STEPS = 8
"""The inferences in which the deviation of a device's requantisation is looked for."""

_Arrays = tuple[NDArray[Any], ...]


def golden_of(
    built: BuiltProgram,
    module: ir.Operation,
    options: Options,
    by: GoldenFrom = "model",
    steps: int | None = None,
) -> Golden:
    """Return `steps` runs on drawn inputs from reset; default: three, or one if there is no state.

    `module` is the model as it was imported. If the interpreter does not support an op, the program
    computes the outputs, and so it does where a device requantises in its own way; the golden then
    has the deviation. Raises `DifferentValuesError` when interpreter and program disagree.
    """
    count = steps or (3 if built.info.state_pools else 1)
    inputs = drawn_inputs(built.info, count)
    if by == "program":
        return _by_program(built, inputs, "as asked for")
    try:
        expected = interpreted(module, built.info, inputs)
    except UnsupportedError as error:
        return _by_program(built, inputs, str(error))
    if options.requantise == "device":
        return _by_device(built, module, inputs)
    found = _computed(built, inputs)
    if any(_differ(*pair) for pair in zip(found, expected, strict=True)):
        from forebay.golden.locate import first_difference  # noqa: PLC0415  (loads the emulator)

        operator, what = first_difference(built, module, options, inputs)
        raise DifferentValuesError(operator, f"{what}; {_way_out(options)}")
    return Golden(_steps(inputs, expected), BY_MODEL)


def _by_device(built: BuiltProgram, module: ir.Operation, inputs: Sequence[_Arrays]) -> Golden:
    """Return the program's steps, with the deviation in more of them."""
    count = max(len(inputs), _DEVIATION_STEPS)
    drawn = drawn_inputs(built.info, count)
    found = _computed(built, drawn)
    deviation = _deviation(built.info, found, interpreted(module, built.info, drawn))
    origin = "the program's own (the device requantises)"
    steps = _steps(inputs, found[: len(inputs)])
    return Golden(steps, origin, is_independent=False, deviation=deviation)


def _deviation(
    info: ModelInfo, found: Sequence[_Arrays], expected: Sequence[_Arrays]
) -> OutputDeviation:
    """Return the largest difference of all outputs."""
    largest = [
        max(
            float(np.abs(ours[n].astype(np.float64) - exact[n].astype(np.float64)).max())
            for ours, exact in zip(found, expected, strict=True)
        )
        for n in range(len(info.outputs))
    ]
    worst = max(range(len(largest)), key=largest.__getitem__)
    return OutputDeviation(info.outputs[worst].name, largest[worst], len(found))


def _by_program(built: BuiltProgram, inputs: Sequence[_Arrays], why: str) -> Golden:
    steps = _steps(inputs, _computed(built, inputs))
    return Golden(steps, f"the program's own ({why})", is_independent=False)


def interpreted(module: ir.Operation, info: ModelInfo, inputs: Sequence[_Arrays]) -> list[_Arrays]:
    """Return the outputs of the model for each step, from reset on."""
    interpreter = Interpreter(module)
    return [
        tuple(
            value.view(port.dtype).reshape(port.shape)
            for value, port in zip(interpreter.run(step).outputs, info.outputs, strict=True)
        )
        for step in inputs
    ]


def _computed(built: BuiltProgram, inputs: Sequence[_Arrays]) -> list[_Arrays]:
    """Run LLVM's code, or the emulator if this process cannot map a pool's fixed address."""
    with built.final.context:
        engine: Engine
        try:
            engine = LlvmEngine(built.final, built.info)
        except FixedMemoryError:
            from forebay.emulator.engine import EmulatorEngine  # noqa: PLC0415

            engine = EmulatorEngine(built.planned, built.info)
        engine.reset()
        return [engine.run(step) for step in inputs]


def _differ(found: _Arrays, wanted: _Arrays) -> bool:
    return any(bool(np.any(differing_elements(*pair))) for pair in zip(found, wanted, strict=True))


def _steps(inputs: Sequence[_Arrays], outputs: Sequence[_Arrays]) -> tuple[GoldenStep, ...]:
    return tuple(GoldenStep(*pair) for pair in zip(inputs, outputs, strict=True))


def _way_out(options: Options) -> str:
    phases = [phase for phase in options.passes if options.passes_at(phase)]
    if phases:
        return (
            f"passes of your own run at {', '.join(phases)}: where one changes values on purpose, "
            "give the outputs (--golden FILE.npz), or take the program's (--golden-from program)"
        )
    return (
        "where a device computes something else on purpose, give the outputs (--golden FILE.npz) "
        "or take the program's (--golden-from program); "
        "else it is a bug of Forebay, and a report of it needs the command and the model"
    )
