"""Locate the first operator whose tensor differs from the model's."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from mlir import ir
from numpy.typing import NDArray

from forebay.emulator.engine import EmulatorEngine
from forebay.emulator.memory.faults import Fault, WrongValue
from forebay.golden.checkpoints import first_wrong_in_code
from forebay.network.fixed_memory import FixedMemoryError
from forebay.options import Options
from forebay.pipelines.build import BuiltProgram
from forebay.values.model import ModelValues

Difference = tuple[str, str]
"""The name of an operator in reports, and what is wrong with its tensor."""


def first_difference(
    built: BuiltProgram,
    module: ir.Operation,
    options: Options,
    inputs: Sequence[tuple[NDArray[Any], ...]],
) -> Difference:
    """Return the first operator whose tensor differs in a run on these inputs, and how.

    Checks the planned program first. If that is correct, checks the code that was made from it.
    """
    values = ModelValues(module, options)
    with built.final.context:
        return (
            _in_plan(built, values, inputs)
            or _in_code(built, values, inputs)
            or ("the program", "its outputs are not the model's, and no operator's tensor shows it")
        )


def _in_plan(
    built: BuiltProgram,
    values: ModelValues,
    inputs: Sequence[tuple[NDArray[Any], ...]],
) -> Difference | None:
    engine = EmulatorEngine(built.planned, built.info, values=values)
    operators = {tensor.name: tensor.operator for tensor in values.tensors.all}
    try:
        engine.reset()
        for step in inputs:
            engine.run(step)
    except WrongValue as fault:
        name = fault.deviation.tensor
        return operators.get(name, name), f"the program {fault.deviation}"
    except Fault as fault:
        return fault.where.location, f"{fault.where.op} is refused by the emulator: {fault}"
    return None


def _in_code(
    built: BuiltProgram,
    values: ModelValues,
    inputs: Sequence[tuple[NDArray[Any], ...]],
) -> Difference | None:
    values.reset()
    try:
        return first_wrong_in_code(built, values, inputs)
    except FixedMemoryError:
        return None
