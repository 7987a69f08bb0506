"""A complex transform of a power of two, in kissfft's steps.

    reorder the samples by the reversed digits of their positions
    for each radix p, of 4 and once 2:
        t[q] = (x[q] / p) * twiddle[q]       rounded; q = 0 is not multiplied
        y[k] = sum(t[q] * i**(-k q * 4/p))   i**(k q * 4/p) for the inverse

Complex numbers are tensors [rows, length, 2]. Floats are not divided.
Source: kissfft `kiss_fft.c`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from mlir import ir
from mlir.dialects import arith
from numpy.typing import NDArray

from forebay.frontends.elementwise import map_indexed, moved, position_along
from forebay.frontends.tflite.lowering import emit
from forebay.frontends.tflite.operators.signal.samples import Samples, unit
from forebay.lowering.kernels import scalar
from forebay.lowering.kernels.reduce import (
    KernelDomain,
    ReduceKernel,
    ReduceOperand,
    Scalars,
    affine_dimensions,
    build_reduce,
    zero,
)


def complex_transform(samples: Samples, value: ir.Value, *, is_inverse: bool) -> ir.Value:
    """Return the transform of each row, in the order of the frequencies."""
    rows, length, _ = shape = emit.static_shape_of(value)
    fours, twos = divmod(length.bit_length() - 1, 2)
    radices = [4] * fours + [2] * twos
    digits = emit.tosa_reshape(value, (rows, *reversed(radices), 2))
    row, *order, part = affine_dimensions(len(radices) + 2)
    value = moved(digits, [row, *reversed(order), part], (rows, *radices, 2))
    inner = 1
    for radix in reversed(radices):
        groups = length // (radix * inner)
        parts = emit.tosa_reshape(value, (rows * groups, radix, inner, 2))
        exponents = np.outer(np.arange(radix), np.arange(inner)) * groups % length
        phases = -2 * np.pi * exponents / length
        value = _butterflies(samples, parts, -phases if is_inverse else phases, is_inverse)
        inner *= radix
    return emit.tosa_reshape(value, shape)


def _butterflies(
    samples: Samples, value: ir.Value, phases: NDArray[np.float64], is_inverse: bool
) -> ir.Value:
    _, radix, _, _ = shape = emit.static_shape_of(value)
    g, q, m, c = affine_dimensions(4)
    one = ir.AffineExpr.get_constant(1)
    tables = [emit.tosa_constant(t) for t in _twiddles(samples, phases)]

    def twiddled(ins: Sequence[ir.Value]) -> ir.Value:
        real, imaginary, by_real, by_imaginary = (samples.wide(x) for x in ins[:4])
        real, imaginary = (samples.divided(x, radix) for x in (real, imaginary))
        terms = scalar.multiply(real, by_real), scalar.multiply(imaginary, by_imaginary)
        turned = samples.rounded(scalar.add(*terms))
        if samples.has_unit:
            return turned
        stored = samples.stored(samples.divided(samples.wide(ins[4]), radix))
        return arith.SelectOp(_is_first(1), stored, turned).result

    operands = [(value, [g, q, m, zero()]), (value, [g, q, m, one])]
    operands += [(table, [q, m, c]) for table in tables]
    if not samples.has_unit:
        operands.append((value, [g, q, m, c]))
    terms = map_indexed(operands, shape, samples.element, twiddled)
    return _summed(samples, terms, is_inverse)


def _is_first(dimension: int) -> ir.Value:
    """Return whether the position along a dimension is 0."""
    first = scalar.scalar_constant(0, ir.IndexType.get())
    return arith.CmpIOp(arith.CmpIPredicate.eq, position_along(dimension), first).result


def _twiddles(samples: Samples, phases: NDArray[np.float64]) -> list[NDArray[Any]]:
    """Return what real and imaginary parts are multiplied by, `[radix, inner, 2]`."""
    real, imaginary = (samples.table(values) for values in unit(phases))
    if samples.has_unit and real.dtype.kind == "i":
        real[0], imaginary[0] = 1 << (8 * samples.dtype.itemsize - 1), 0
    return [np.stack([real, imaginary], 2), np.stack([-imaginary, real], 2)]


def _summed(samples: Samples, terms: ir.Value, is_inverse: bool) -> ir.Value:
    """Return the sums of the terms, each turned by a quarter per leg and term."""
    groups, radix, inner, _ = shape = emit.static_shape_of(terms)
    g, k, m, c, q = affine_dimensions(5)
    one = ir.AffineExpr.get_constant(1)
    turns = np.outer(np.arange(radix), np.arange(radix)) * (4 // radix) % 4
    turns = (4 - turns) % 4 if is_inverse else turns
    real = np.array([1, 0, -1, 0], samples.sign_dtype)[turns]
    imaginary = np.array([0, -1, 0, 1], samples.sign_dtype)[turns]
    signs = [np.stack([real, imaginary], 1), np.stack([-imaginary, real], 1)]

    def add(sums: Scalars, ins: Scalars) -> Scalars:
        a, b, by_a, by_b = (samples.wide(x) for x in ins)
        return [scalar.add(sums[0], scalar.add(scalar.multiply(a, by_a), scalar.multiply(b, by_b)))]

    def finish(sums: Scalars, _count: ir.Value, _params: Scalars) -> ir.Value:
        return samples.stored(sums[0])

    return build_reduce(
        KernelDomain((groups, radix, inner, 2), (radix,)),
        ReduceKernel(lambda _: [samples.zero()], add, finish),
        ins=[
            ReduceOperand(terms, (g, q, m, zero())),
            ReduceOperand(terms, (g, q, m, one)),
            *(ReduceOperand(emit.tosa_constant(table), (k, c, q)) for table in signs),
        ],
        params=[],
        out=(g, k, m, c),
        result=emit.tensor_type(shape, samples.element),
    )
