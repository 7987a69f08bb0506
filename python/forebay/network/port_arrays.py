"""The values of inputs and outputs: in order or by name, with checked types and shapes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import ArrayLike

from forebay.network.errors import CodegenError
from forebay.network.model import GoldenStep, ModelInfo, Port
from forebay.support.arrays import Array

GivenInputs = ArrayLike | Mapping[str, ArrayLike]


def inputs_in_order(
    model: ModelInfo, given: Sequence[GivenInputs], named: Mapping[str, ArrayLike]
) -> list[Array]:
    """Return the inputs in the model's order.

    They are `given` in that order, or in one mapping by name, or `named`. Raises `CodegenError` for
    a mixture, and for a name that is unknown or missing.
    """
    mappings = [value for value in given if isinstance(value, Mapping)]
    if (mappings or named) and (len(given) > 1 or (given and named)):
        raise CodegenError("give the inputs either in order or by their names, not both")
    if not mappings and not named:
        return [np.asarray(value) for value in given]
    by_name: Mapping[str, ArrayLike] = mappings[0] if mappings else named
    names = [port.name for port in model.inputs]
    if set(by_name) != set(names):
        raise CodegenError(
            f"'{model.name}' takes the inputs {', '.join(names) or 'none'}; "
            f"given are: {', '.join(by_name) or 'none'}"
        )
    return [np.asarray(by_name[name]) for name in names]


def checked_inputs(model: ModelInfo, inputs: Sequence[Array]) -> list[Array]:
    """Return contiguous inputs; raise CodegenError if their number, a type or a shape is wrong."""
    if len(inputs) != len(model.inputs):
        names = ", ".join(port.name for port in model.inputs) or "none"
        raise CodegenError(
            f"'{model.name}' has {len(model.inputs)} inputs ({names}), {len(inputs)} were given"
        )
    for port, value in zip(model.inputs, inputs, strict=True):
        reason = mismatch(port, value, "input")
        if reason is not None:
            raise CodegenError(reason)
    # Not ascontiguousarray, which adds a dimension to a scalar.
    return [np.asarray(value, value.dtype.newbyteorder("="), order="C") for value in inputs]


def check_golden(model: ModelInfo, steps: Sequence[GoldenStep]) -> None:
    """Raise CodegenError for a golden whose arrays do not fit the model's inputs and outputs."""
    for number, step in enumerate(steps):
        for what, ports, values in (
            ("input", model.inputs, step.inputs),
            ("output", model.outputs, step.outputs),
        ):
            if len(values) != len(ports):
                raise CodegenError(
                    f"golden {number} has {len(values)} {what}s, '{model.name}' has {len(ports)}"
                )
            for port, value in zip(ports, values, strict=True):
                reason = mismatch(port, value, what)
                if reason is not None:
                    raise CodegenError(f"golden {number}: {reason}")


def mismatch(port: Port, value: Array, what: str) -> str | None:
    """Return why an array is not a value of a port, an input or output; None if it is one."""
    if value.dtype.newbyteorder("=") == np.dtype(port.dtype) and value.shape == port.shape:
        return None
    return (
        f"{what} '{port.name}' is {port.dtype}{list(port.shape)}, "
        f"{value.dtype}{list(value.shape)} was given"
    )


def is_of_caller(model: ModelInfo, arrays: Sequence[Array]) -> list[Array]:
    """Return the arrays of the ports that are arguments, from those of all ports, inputs first."""
    pairs = zip(model.ports, arrays, strict=True)
    return [array for port, array in pairs if port.pool is None]
