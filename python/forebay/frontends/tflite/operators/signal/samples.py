"""Arithmetic of kissfft on samples of int16, int32 and float32.

Fixed-point numbers have a fraction of all bits but the sign. Products have twice the bits, and are
rounded halves up; every stored sum wraps.
Source: kissfft `_kiss_fft_guts.h`, with FIXED_POINT 16 and 32, and without.
"""

from __future__ import annotations

import math
from typing import Any, Protocol

import numpy as np
from mlir import ir
from mlir.dialects import arith
from numpy.typing import NDArray

from forebay.frontends.tflite.file.schema import ElementType
from forebay.frontends.tflite.lowering import emit
from forebay.frontends.tflite.operators.signal.arithmetic import shifted_right
from forebay.lowering.kernels import scalar

_INT_BITS = 32
"""Those of C's `int`, in which kissfft adds."""


class Samples(Protocol):
    """How numbers of one type are computed; values are wide unless they are stored."""

    dtype: Any
    sign_dtype: Any
    has_unit: bool
    """Whether a table can hold 1."""

    @property
    def element(self) -> ir.Type:
        """The type of stored numbers."""
        ...

    def zero(self) -> ir.Value:
        """Return a wide 0."""
        ...

    def wide(self, value: ir.Value) -> ir.Value:
        """Return a stored number, or one of a table, as a wide one."""
        ...

    def stored(self, value: ir.Value) -> ir.Value:
        """Return a wide number as it is stored."""
        ...

    def rounded(self, product: ir.Value) -> ir.Value:
        """Return a product, stored."""
        ...

    def divided(self, value: ir.Value, by: int) -> ir.Value:
        """Return a wide number divided, where that keeps sums in range."""
        ...

    def halved(self, value: ir.Value) -> ir.Value:
        """Return the half of a sum, stored."""
        ...

    def table(self, values: NDArray[np.float64]) -> NDArray[Any]:
        """Return numbers in [-1, 1] as operands of products."""
        ...


class FixedSamples:
    """Integers, all of whose bits but the sign are a fraction."""

    def __init__(self, bits: int) -> None:
        self._bits = bits
        self.dtype = np.dtype(f"i{bits // 8}")
        self.sign_dtype = np.int8
        self.has_unit = bits < _INT_BITS

    @property
    def element(self) -> ir.Type:
        """The type of stored numbers."""
        return emit.signless(self._bits)

    @property
    def _wide(self) -> ir.Type:
        return emit.signless(2 * self._bits)

    def zero(self) -> ir.Value:
        """Return a wide 0."""
        return scalar.scalar_constant(0, self._wide)

    def wide(self, value: ir.Value) -> ir.Value:
        """Return the number in twice the bits."""
        return value if value.type == self._wide else arith.ExtSIOp(self._wide, value).result

    def stored(self, value: ir.Value) -> ir.Value:
        """Return the lower half of the bits."""
        return scalar.narrow(value, self.element)

    def rounded(self, product: ir.Value) -> ir.Value:
        """Return the product without half of its fraction."""
        fraction = self._bits - 1
        raised = scalar.add_constant(product, 1 << (fraction - 1))
        return self.stored(shifted_right(raised, fraction))

    def divided(self, value: ir.Value, by: int) -> ir.Value:
        """Return the product with the largest number divided by `by`."""
        largest = (1 << (self._bits - 1)) - 1
        return self.wide(self.rounded(scalar.scaled(value, largest // by)))

    def halved(self, value: ir.Value) -> ir.Value:
        """Return the sum, in the bits of an `int`, shifted right."""
        sum_ = scalar.narrow(value, emit.signless(_INT_BITS))
        return self.stored(shifted_right(sum_, 1))

    def table(self, values: NDArray[np.float64]) -> NDArray[Any]:
        """Return the numbers rounded, in 32 bits."""
        largest = (1 << (self._bits - 1)) - 1
        return np.floor(0.5 + largest * values).astype(np.int32)


class FloatSamples:
    """Floats, which are not divided, because their sums stay in range."""

    def __init__(self) -> None:
        self.dtype = self.sign_dtype = np.float32
        self.has_unit = True

    @property
    def element(self) -> ir.Type:
        """The type of stored numbers."""
        return ir.F32Type.get()

    def zero(self) -> ir.Value:
        """Return 0."""
        return scalar.scalar_constant(0, self.element)

    def wide(self, value: ir.Value) -> ir.Value:
        """Return the number."""
        return value

    def stored(self, value: ir.Value) -> ir.Value:
        """Return the number."""
        return value

    def rounded(self, product: ir.Value) -> ir.Value:
        """Return the number."""
        return product

    def divided(self, value: ir.Value, by: int) -> ir.Value:
        """Return the number."""
        return value

    def halved(self, value: ir.Value) -> ir.Value:
        """Return half of the number."""
        return scalar.multiply(value, scalar.scalar_constant(0.5, self.element))

    def table(self, values: NDArray[np.float64]) -> NDArray[Any]:
        """Return the numbers in float32."""
        return values.astype(np.float32)


def samples_of(element: ElementType) -> Samples:
    """Return the arithmetic of a type of samples."""
    return FloatSamples() if element is ElementType.FLOAT32 else FixedSamples(8 * element.bytes)


def unit(phases: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return the cosines and the sines."""
    flat = phases.reshape(-1).tolist()
    cosines, sines = ([f(phase) for phase in flat] for f in (math.cos, math.sin))
    return np.array(cosines).reshape(phases.shape), np.array(sines).reshape(phases.shape)
