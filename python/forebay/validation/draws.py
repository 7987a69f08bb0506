"""Inputs for runs of a program: drawn from fixed seeds, including small numbers for loop bounds."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from forebay.ir.problem.ports import EntryPort
from forebay.support.arrays import Array

_SMALL = 4
"""The bound of small inputs, so that loop bounds and positions read from data are usable."""


@dataclass(frozen=True)
class Draw:
    """The inputs for several runs in sequence, reproducible from the fields."""

    seed: int
    small: bool

    def __str__(self) -> str:
        return f"{'small inputs' if self.small else 'inputs'} of seed {self.seed}"

    def inputs(self, ports: Sequence[EntryPort], step: int) -> list[Array]:
        """Return an array for each port, in order; each step draws other arrays."""
        generator = np.random.default_rng((self.seed, step))
        return [self._array(port, generator) for port in ports]

    def _array(self, port: EntryPort, generator: np.random.Generator) -> Array:
        dtype = np.dtype(port.dtype)
        if dtype.kind == "f":
            return generator.standard_normal(port.shape).astype(dtype)
        if dtype.kind == "b":
            return generator.integers(0, 2, port.shape).astype(dtype)
        if self.small:
            return generator.integers(0, _SMALL, port.shape).astype(dtype)
        limits = np.iinfo(dtype)
        return generator.integers(limits.min, limits.max, port.shape, dtype, endpoint=True)


DRAWS = (Draw(0, small=False), Draw(1, small=True), Draw(2, small=False))
"""The draws on which every pass is checked."""
