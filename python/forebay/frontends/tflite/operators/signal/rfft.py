"""SignalRfft and SignalIrfft: a real transform as a complex one of half the length.

    forward: pairs of samples are complex numbers; transform; split the spectrum into those of even
             and odd samples, and join them
    inverse: the same steps in the opposite order; floats are divided by the length

Spectra are tensors [rows, half + 1, 2], the complex numbers of half the length [rows, half, 2].
Sources: kissfft `kiss_fftr.c`; TFLite Micro `signal/src/kiss_fft_wrappers`, `irfft_float.cc`.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

import numpy as np
from mlir import ir

from forebay.frontends.elementwise import Compute, map_elements, map_indexed
from forebay.frontends.tflite.file.schema import ElementType
from forebay.frontends.tflite.lowering import emit
from forebay.frontends.tflite.lowering.node import Node
from forebay.frontends.tflite.lowering.registry import document, operator
from forebay.frontends.tflite.operators.signal.options import integer_option
from forebay.frontends.tflite.operators.signal.samples import Samples, samples_of, unit
from forebay.frontends.tflite.operators.signal.transform import complex_transform
from forebay.lowering.kernels import scalar
from forebay.lowering.kernels.reduce import affine_dimensions, zero

_LONGEST = 1 << 15
_TYPES = (ElementType.INT16, ElementType.INT32, ElementType.FLOAT32)

document(
    "SignalRfft",
    "SignalIrfft",
    types="int16, int32, float32",
    limits="a power of two",
    becomes="`linalg.generic`s, `accel.reduce`s",
    exact="int16, int32",
)


@operator("SignalRfft", newest_version=1)
def rfft(node: Node) -> Sequence[ir.Value]:
    """Lower the transform of each row, with zeros after it."""
    samples, length = _checked(node)
    shape = node.shape(0)
    rows, given = math.prod(shape[:-1]), shape[-1]
    if given > length:
        node.refuse(f"an input of shape {list(shape)}", f"use rows of at most {length}")
    value = emit.tosa_reshape(node.value(0), (rows, given))
    if given < length:
        silence = emit.tosa_constant(np.zeros((rows, length - given), samples.dtype))
        value = emit.tosa_concat([value, silence], 1)
    pairs = emit.tosa_reshape(value, (rows, length // 2, 2))
    transformed = complex_transform(samples, pairs, is_inverse=False)
    ends = [_end(samples, transformed, subtracts=subtracts) for subtracts in (False, True)]
    parts = _parts(samples, transformed, length // 2, is_inverse=False)
    spectrum = emit.tosa_concat([ends[0], *parts, ends[1]], 1)
    return [emit.tosa_reshape(spectrum, (*shape[:-1], length + 2))]


@operator("SignalIrfft", newest_version=1)
def irfft(node: Node) -> Sequence[ir.Value]:
    """Lower the inverse transform of each row."""
    samples, length = _checked(node)
    shape, half = node.shape(0), length // 2
    rows = math.prod(shape[:-1])
    if shape[-1] != length + 2:
        node.malformed(f"an input of shape {list(shape)} for a transform of {length}")
    spectrum = emit.tosa_reshape(node.value(0), (rows, half + 1, 2))
    first = _first_of_inverse(samples, spectrum)
    parts = _parts(samples, spectrum, half, is_inverse=True)
    joined = emit.tosa_concat([first, *parts], 1)
    value = complex_transform(samples, joined, is_inverse=True)
    value = emit.tosa_reshape(value, (*shape[:-1], length))
    if node.output.type is ElementType.FLOAT32:
        value = _divided_by(value, length)
    return [value]


def _checked(node: Node) -> tuple[Samples, int]:
    """Return the arithmetic and the length."""
    node.expect_operands(1)
    node.expect_types(*((t, t) for t in _TYPES))
    length = integer_option(node, "fft_length", 2, _LONGEST)
    if length & (length - 1) or length < 4:
        node.refuse(f"a transform of {length}", "use a power of two from 4 on")
    if not node.shape(0):
        node.malformed("its input is a scalar")
    return samples_of(node.output.type), length


def _end(samples: Samples, value: ir.Value, *, subtracts: bool) -> ir.Value:
    """Return the first or the last value of a spectrum, whose imaginary part is 0."""
    rows, _, _ = emit.static_shape_of(value)

    def compute(ins: Sequence[ir.Value]) -> ir.Value:
        real, imaginary = (samples.divided(samples.wide(x), 2) for x in ins)
        join = scalar.subtract if subtracts else scalar.add
        return samples.stored(join(real, imaginary))

    real = _combined(samples, value, (0, 0), (0, 1), compute)
    return emit.tosa_concat([real, emit.tosa_constant(np.zeros((rows, 1, 1), samples.dtype))], 2)


def _first_of_inverse(samples: Samples, value: ir.Value) -> ir.Value:
    """Return the first complex number, from the real parts of the first and the last value."""
    last = emit.static_shape_of(value)[1] - 1

    def part(*, subtracts: bool) -> ir.Value:
        def compute(ins: Sequence[ir.Value]) -> ir.Value:
            join = scalar.subtract if subtracts else scalar.add
            total = samples.stored(join(*(samples.wide(x) for x in ins)))
            return samples.stored(samples.divided(samples.wide(total), 2))

        return _combined(samples, value, (0, 0), (last, 0), compute)

    return emit.tosa_concat([part(subtracts=False), part(subtracts=True)], 2)


def _combined(
    samples: Samples,
    value: ir.Value,
    first: tuple[int, int],
    second: tuple[int, int],
    compute: Compute,
) -> ir.Value:
    """Return `[rows, 1, 1]` from two parts of numbers, by position and component."""
    rows, _, _ = emit.static_shape_of(value)
    r, _, _ = affine_dimensions(3)
    places = [
        (value, [r, *(ir.AffineExpr.get_constant(i) for i in place)]) for place in (first, second)
    ]
    return map_indexed(places, (rows, 1, 1), samples.element, compute)


def _parts(samples: Samples, value: ir.Value, half: int, *, is_inverse: bool) -> list[ir.Value]:
    """Return the numbers after the first; those from the middle on come from conjugates."""
    middle = half // 2
    ranges = [(range(1, middle), False), (range(middle, half), True)]
    return [
        _part(samples, value, positions, is_conjugated=is_conjugated, is_inverse=is_inverse)
        for positions, is_conjugated in ranges
        if positions
    ]


def _part(
    samples: Samples, value: ir.Value, positions: range, *, is_conjugated: bool, is_inverse: bool
) -> ir.Value:
    half = emit.static_shape_of(value)[1] - is_inverse
    numbers = np.array([half - p if is_conjugated else p for p in positions])
    phases = -np.pi * (numbers / half + 0.5)
    tables = [
        emit.tosa_constant(samples.table(values))
        for values in unit(-phases if is_inverse else phases)
    ]
    _, j, _ = affine_dimensions(3)
    near, far = j + positions.start, half - positions.start - j
    places = (far, near) if is_conjugated else (near, far)
    end = samples.stored if is_inverse else samples.halved
    columns = [
        _component(
            samples,
            value,
            places,
            tables,
            component=component,
            end=end,
            is_conjugated=is_conjugated,
        )
        for component in (0, 1)
    ]
    return emit.tosa_concat(columns, 2)


def _component(
    samples: Samples,
    value: ir.Value,
    places: tuple[ir.AffineExpr, ir.AffineExpr],
    tables: Sequence[ir.Value],
    *,
    component: int,
    end: Callable[[ir.Value], ir.Value],
    is_conjugated: bool,
) -> ir.Value:
    """Return one component of the numbers: even part +- odd part turned by its twiddle."""
    rows, _, _ = emit.static_shape_of(value)
    (count,) = emit.static_shape_of(tables[0])

    def wrapped(x: ir.Value) -> ir.Value:
        return samples.wide(samples.stored(x))

    def compute(ins: Sequence[ir.Value]) -> ir.Value:
        near_real, near_imaginary, far_real, far_imaginary = (samples.wide(x) for x in ins[:4])
        negative = wrapped(scalar.subtract(samples.zero(), far_imaginary))
        a, b, c, d = (
            samples.divided(x, 2) for x in (near_real, near_imaginary, far_real, negative)
        )
        sums = [wrapped(scalar.add(x, y)) for x, y in ((a, c), (b, d))]
        real, imaginary = (wrapped(scalar.subtract(x, y)) for x, y in ((a, c), (b, d)))
        by_real, by_imaginary = (samples.wide(x) for x in ins[4:])
        if component == 0:
            turned = scalar.subtract(
                scalar.multiply(real, by_real), scalar.multiply(imaginary, by_imaginary)
            )
        else:
            turned = scalar.add(
                scalar.multiply(real, by_imaginary), scalar.multiply(imaginary, by_real)
            )
        twiddled = samples.wide(samples.rounded(turned))
        if not is_conjugated:
            return end(scalar.add(sums[component], twiddled))
        if component == 0:
            return end(scalar.subtract(sums[0], twiddled))
        return end(scalar.subtract(twiddled, sums[1]))

    r, j, _ = affine_dimensions(3)
    parts = (zero(), ir.AffineExpr.get_constant(1))
    operands = [(value, [r, place, part]) for place in places for part in parts]
    operands += [(table, [j]) for table in tables]
    return map_indexed(operands, (rows, count, 1), samples.element, compute)


def _divided_by(value: ir.Value, length: int) -> ir.Value:
    def compute(ins: Sequence[ir.Value]) -> ir.Value:
        return scalar.divide(ins[0], scalar.scalar_constant(length, ins[0].type))

    return map_elements([value], emit.static_shape_of(value), ir.F32Type.get(), compute)
