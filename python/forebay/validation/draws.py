"""Inputs to run a program on: drawn from fixed seeds, and small ones, which loops count by."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from forebay.ir.problem.ports import EntryPort

Array = NDArray[Any]

SMALL = 4
"""Small inputs are less: bounds of loops and positions that data say should lead somewhere."""


@dataclass(frozen=True)
class Draw:
    """Inputs for several runs, one after the other, that a name and a seed give again."""

    seed: int
    small: bool

    def __str__(self) -> str:
        return f"{'small inputs' if self.small else 'inputs'} of seed {self.seed}"

    def inputs(self, ports: Sequence[EntryPort], step: int) -> list[Array]:
        """An array for each port, in their order; another one at each step."""
        generator = np.random.default_rng((self.seed, step))
        return [self._array(port, generator) for port in ports]

    def _array(self, port: EntryPort, generator: np.random.Generator) -> Array:
        dtype = np.dtype(port.dtype)
        if dtype.kind == "f":
            return generator.standard_normal(port.shape).astype(dtype)
        if dtype.kind == "b":
            return generator.integers(0, 2, port.shape).astype(dtype)
        if self.small:
            return generator.integers(0, SMALL, port.shape).astype(dtype)
        limits = np.iinfo(dtype)
        return generator.integers(limits.min, limits.max, port.shape, dtype, endpoint=True)


DRAWS = (Draw(0, small=False), Draw(1, small=True), Draw(2, small=False))
"""What every pass is checked on."""
