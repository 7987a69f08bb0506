"""SignalRfft of int16: a real transform as a complex one of half the length, in kissfft's steps.

    pack pairs of samples as complex numbers, in bit-reversed order of digits
    for each radix p, of 4 and once 2:
        t[q] = (x[q] / p) * twiddle[q]       rounded to 15 bits; q = 0 is not multiplied
        y[k] = sum(t[q] * i**(-k q * 4/p))   exact
    split the spectrum into those of even and odd samples, and join them

Complex numbers are tensors [..., 2].
Source: kissfft `kiss_fft.c`, `kiss_fftr.c`, `_kiss_fft_guts.h` with FIXED_POINT 16, as in TFLite
Micro `signal/src/kiss_fft_wrappers`.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from mlir import ir
from numpy.typing import NDArray

from forebay.frontends.elementwise import map_indexed, moved
from forebay.frontends.tflite.file.schema import ElementType
from forebay.frontends.tflite.lowering import emit
from forebay.frontends.tflite.lowering.node import Node
from forebay.frontends.tflite.lowering.registry import document, operator
from forebay.frontends.tflite.operators.signal.arithmetic import i32_constant, shifted_right
from forebay.frontends.tflite.operators.signal.options import integer_option
from forebay.lowering.kernels import scalar
from forebay.lowering.kernels.reduce import (
    KernelDomain,
    ReduceKernel,
    ReduceOperand,
    affine_dimensions,
    build_reduce,
)

_MOST = (1 << 15) - 1
_BITS = 15
_LONGEST = 1 << 15
_Table = NDArray[np.int32]

document(
    "SignalRfft",
    types="int16",
    limits="a power of two",
    becomes="`linalg.generic`s, `accel.reduce`s",
    exact="yes",
)


@operator("SignalRfft", newest_version=1)
def rfft(node: Node) -> Sequence[ir.Value]:
    """Lower the transform of each row, with zeros behind it."""
    node.expect_operands(1)
    node.expect_types((ElementType.INT16,) * 2)
    length = integer_option(node, "fft_length", 2, _LONGEST)
    if length & (length - 1) or length < 4:
        node.refuse(f"a transform of {length}", "use a power of two from 4 on")
    shape = node.shape(0)
    if math.prod(shape) != shape[-1] or shape[-1] > length:
        node.refuse(f"an input of shape {list(shape)}", "use one row, no longer than the transform")
    row = emit.tosa_reshape(node.value(0), (shape[-1],))
    if shape[-1] < length:
        row = emit.tosa_concat([row, emit.tosa_constant(np.zeros(length - shape[-1], np.int16))], 0)
    half = length // 2
    spectrum = _joined(_transformed(emit.tosa_reshape(row, (half, 2)), half), half)
    return [emit.tosa_reshape(spectrum, (*shape[:-1], length + 2))]


def _transformed(samples: ir.Value, length: int) -> ir.Value:
    """Return the complex transform `[length, 2]`."""
    fours, twos = divmod(length.bit_length() - 1, 2)
    radices = [4] * fours + [2] * twos
    digits = emit.tosa_reshape(samples, (*reversed(radices), 2))
    dims = affine_dimensions(len(radices) + 1)
    value = moved(digits, [*reversed(dims[:-1]), dims[-1]], (*radices, 2))
    inner = 1
    for radix in reversed(radices):
        groups = length // (radix * inner)
        value = _butterflies(emit.tosa_reshape(value, (groups, radix, inner, 2)), length)
        inner *= radix
    return emit.tosa_reshape(value, (length, 2))


def _butterflies(value: ir.Value, length: int) -> ir.Value:
    groups, radix, inner, _ = shape = emit.static_shape_of(value)
    g, q, m, c = affine_dimensions(4)
    zero, one = (ir.AffineExpr.get_constant(i) for i in (0, 1))
    tables = [emit.tosa_constant(t) for t in _twiddles(length, groups, radix, inner)]

    def twiddled(ins: Sequence[ir.Value]) -> ir.Value:
        real, imaginary = (_divided(scalar.widen(x), radix) for x in ins[:2])
        return _rounded(
            scalar.add(scalar.multiply(real, ins[2]), scalar.multiply(imaginary, ins[3]))
        )

    operands = [(value, [g, q, m, zero]), (value, [g, q, m, one])]
    operands += [(table, [q, m, c]) for table in tables]
    terms = map_indexed(operands, shape, emit.signless(16), twiddled)
    return _summed(terms, radix)


def _summed(terms: ir.Value, radix: int) -> ir.Value:
    """Return the sums of the terms, each turned by a quarter per leg and term."""
    groups, _, inner, _ = shape = emit.static_shape_of(terms)
    g, k, m, c, q = affine_dimensions(5)
    zero, one = (ir.AffineExpr.get_constant(i) for i in (0, 1))
    turns = np.outer(np.arange(radix), np.arange(radix)) * (4 // radix) % 4
    real = np.array([1, 0, -1, 0], np.int8)[turns]
    imaginary = np.array([0, -1, 0, 1], np.int8)[turns]
    signs = [np.stack([real, imaginary], 1), np.stack([-imaginary, real], 1)]

    def add(sums: Sequence[ir.Value], ins: Sequence[ir.Value]) -> Sequence[ir.Value]:
        a, b, by_a, by_b = (scalar.widen(x) for x in ins)
        return [scalar.add(sums[0], scalar.add(scalar.multiply(a, by_a), scalar.multiply(b, by_b)))]

    return build_reduce(
        KernelDomain((groups, radix, inner, 2), (radix,)),
        ReduceKernel(
            lambda _: [i32_constant(0)],
            add,
            lambda sums, _count, _params: scalar.narrow(sums[0], emit.signless(16)),
        ),
        ins=[
            ReduceOperand(terms, (g, q, m, zero)),
            ReduceOperand(terms, (g, q, m, one)),
            *(ReduceOperand(emit.tosa_constant(table), (k, c, q)) for table in signs),
        ],
        params=[],
        out=(g, k, m, c),
        result=emit.tensor_type(shape, emit.signless(16)),
    )


def _twiddles(length: int, groups: int, radix: int, inner: int) -> list[_Table]:
    """Return what real and imaginary parts are multiplied by, `[radix, inner, 2]`."""
    exponents = np.outer(np.arange(radix), np.arange(inner)) * groups % length
    real, imaginary = _unit(-2 * np.pi * exponents / length)
    real[0], imaginary[0] = 1 << _BITS, 0
    return [np.stack([real, imaginary], 2), np.stack([-imaginary, real], 2)]


def _unit(phases: NDArray[np.float64]) -> tuple[_Table, _Table]:
    """Return cosine and sine in Q0.15."""
    real, imaginary = (np.floor(0.5 + _MOST * f(phases)) for f in (np.cos, np.sin))
    return real.astype(np.int32), imaginary.astype(np.int32)


def _joined(value: ir.Value, half: int) -> ir.Value:
    """Return the `half + 1` values of the real transform from the complex one."""
    middle = half // 2
    parts = [_end(value, subtracts=False)]
    if middle > 1:
        parts.append(_part(value, half, range(1, middle), conjugated=False))
    parts.append(_part(value, half, range(middle, half), conjugated=True))
    return emit.tosa_concat([*parts, _end(value, subtracts=True)], 0)


def _end(value: ir.Value, *, subtracts: bool) -> ir.Value:
    """Return the first or the last value, whose imaginary part is 0."""
    zero, one = (ir.AffineExpr.get_constant(i) for i in (0, 1))

    def compute(ins: Sequence[ir.Value]) -> ir.Value:
        real, imaginary = (_divided(scalar.widen(x), 2) for x in ins)
        total = scalar.subtract(real, imaginary) if subtracts else scalar.add(real, imaginary)
        return scalar.narrow(total, emit.signless(16))

    both = map_indexed(
        [(value, [zero, zero]), (value, [zero, one])], (1, 1), emit.signless(16), compute
    )
    return emit.tosa_concat([both, emit.tosa_constant(np.zeros((1, 1), np.int16))], 1)


def _part(value: ir.Value, half: int, positions: range, *, conjugated: bool) -> ir.Value:
    """Return the values at the positions; those above the middle come from conjugates."""
    (j,) = affine_dimensions(1)
    near, far = j + positions.start, half - positions.start - j
    first, second = (far, near) if conjugated else (near, far)
    numbers = np.array([half - p if conjugated else p for p in positions])
    real, imaginary = _unit(-np.pi * (numbers / half + 0.5))
    tables = [emit.tosa_constant(t) for t in (real, imaginary)]
    columns = [
        _component(value, (first, second), tables, len(positions), component, conjugated=conjugated)
        for component in (0, 1)
    ]
    return emit.tosa_concat(columns, 1)


def _component(
    value: ir.Value,
    index: tuple[ir.AffineExpr, ir.AffineExpr],
    tables: Sequence[ir.Value],
    count: int,
    component: int,
    *,
    conjugated: bool,
) -> ir.Value:
    def compute(ins: Sequence[ir.Value]) -> ir.Value:
        near_real, near_imaginary, far_real, far_imaginary = (scalar.widen(x) for x in ins[:4])
        negative = _wrapped(scalar.subtract(i32_constant(0), far_imaginary))
        a, b = _divided(near_real, 2), _divided(near_imaginary, 2)
        c, d = _divided(far_real, 2), _divided(negative, 2)
        sums = [_wrapped(scalar.add(x, y)) for x, y in ((a, c), (b, d))]
        real, imaginary = (_wrapped(scalar.subtract(x, y)) for x, y in ((a, c), (b, d)))
        by_real, by_imaginary = ins[4:]
        if component == 0:
            turned = scalar.subtract(
                scalar.multiply(real, by_real), scalar.multiply(imaginary, by_imaginary)
            )
        else:
            turned = scalar.add(
                scalar.multiply(real, by_imaginary), scalar.multiply(imaginary, by_real)
            )
        twiddled = scalar.widen(_rounded(turned))
        if not conjugated:
            total = scalar.add(sums[component], twiddled)
        elif component == 0:
            total = scalar.subtract(sums[0], twiddled)
        else:
            total = scalar.subtract(twiddled, sums[1])
        return scalar.narrow(shifted_right(total, 1), emit.signless(16))

    near, far = index
    zero, one = (ir.AffineExpr.get_constant(i) for i in (0, 1))
    operands = [(value, [place, part]) for place in (near, far) for part in (zero, one)]
    (j,) = affine_dimensions(1)
    operands += [(table, [j]) for table in tables]
    result = map_indexed(operands, (count,), emit.signless(16), compute)
    return emit.tosa_reshape(result, (count, 1))


def _divided(value: ir.Value, by: int) -> ir.Value:
    """Return the value times `32767 // by` in Q0.15, in 32 bits."""
    return scalar.widen(_rounded(scalar.scaled(value, _MOST // by)))


def _rounded(product: ir.Value) -> ir.Value:
    """Return a product in Q0.15, halves up, wrapped to 16 bits."""
    half = 1 << (_BITS - 1)
    return scalar.narrow(
        shifted_right(scalar.add_constant(product, half), _BITS), emit.signless(16)
    )


def _wrapped(value: ir.Value) -> ir.Value:
    return scalar.widen(scalar.narrow(value, emit.signless(16)))
