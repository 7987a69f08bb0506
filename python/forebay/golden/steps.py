"""Golden steps: inferences with known outputs, and the origin of the outputs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from forebay.network.model import GoldenStep, ModelInfo, Port
from forebay.values.tensors import TOLERANCE, tolerance_of

BY_MODEL = "computed from the model by an interpreter that shares no code with the compiler"
BY_USER = "given with the model"
_LARGEST_COUNT = 31
"""The largest drawn integer that may be the number of iterations of a loop."""


class OutputDeviation(Struct, frozen=True):
    """The largest difference between an output and the model's, in units of the output's type."""

    output: str
    largest: float
    steps: int

    def __str__(self) -> str:
        """Return a line for users."""
        runs = "1 inference" if self.steps == 1 else f"{self.steps} inferences"
        return (
            f"requantised by the device: output '{self.output}' is up to {self.largest:g} from the "
            f"model's, in {runs} on drawn inputs"
        )


class Golden(Struct, frozen=True, eq=False):
    """The steps of a self-test; `origin` describes for users where their outputs come from.

    `is_independent` says whether the outputs do not come from the program under test. `deviation`
    is how far they are from the model's where a device requantises.
    """

    steps: tuple[GoldenStep, ...]
    origin: str
    is_independent: bool = True
    deviation: OutputDeviation | None = None

    def of(self, info: ModelInfo) -> ModelInfo:
        """Return the model with these steps."""
        return replace(
            info, golden=self.steps, golden_origin=self.origin, tolerance=_tolerance(self.steps)
        )


def drawn_inputs(info: ModelInfo, steps: int = 1) -> list[tuple[NDArray[Any], ...]]:
    """Return the inputs of each step, drawn from a fixed seed, the same for the same ports.

    If the network has a loop that ends by data, its integers may be counts (`random_input`).
    """
    generator, has_counts = np.random.default_rng(0), info.ends_loops_by_data
    return [
        tuple(random_input(generator, port, has_counts=has_counts) for port in info.inputs)
        for _ in range(steps)
    ]


def random_input(
    generator: np.random.Generator, port: Port, *, has_counts: bool = False
) -> NDArray[Any]:
    """Return an array for an input: integers over their whole range, floats from N(0, 1).

    With `has_counts`, integers of 32 or 64 bits without a scale are small: a loop may run as often
    as one of them says.
    """
    dtype = np.dtype(port.dtype)
    if has_counts and dtype.kind in "iu" and dtype.itemsize >= 4 and port.scale is None:
        return generator.integers(0, _LARGEST_COUNT, port.shape, dtype, endpoint=True)
    if dtype.kind == "f":
        return generator.standard_normal(port.shape).astype(dtype)
    if dtype.kind == "b":
        return generator.integers(0, 2, port.shape).astype(dtype)
    limits = np.iinfo(dtype)
    return generator.integers(limits.min, limits.max, port.shape, dtype, endpoint=True)


def _tolerance(steps: Sequence[GoldenStep]) -> float:
    """Return the absolute tolerance of the self-test, that of its largest float output."""
    floats = [data for step in steps for data in step.outputs if data.dtype.kind == "f"]
    return max((max(tolerance_of(data), TOLERANCE) for data in floats), default=0.0)
