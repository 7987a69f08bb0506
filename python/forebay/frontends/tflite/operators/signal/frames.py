"""SignalWindow, SignalFftAutoScale, SignalEnergy: one frame of samples of int16.

Sources: TFLite Micro `signal/src/window.cc`, `fft_auto_scale.cc`, `max_abs.cc`, `energy.cc`.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from mlir import ir
from mlir.dialects import arith

from forebay.frontends.elementwise import map_elements, map_indexed
from forebay.frontends.tflite.file.schema import ElementType
from forebay.frontends.tflite.lowering import emit
from forebay.frontends.tflite.lowering.node import Node
from forebay.frontends.tflite.lowering.registry import document, operator
from forebay.frontends.tflite.operators.signal.arithmetic import (
    chosen,
    i32_constant,
    is_above,
    most_significant_bit,
    shifted_right,
)
from forebay.frontends.tflite.operators.signal.options import integer_option
from forebay.lowering.kernels import scalar
from forebay.lowering.kernels.reduce import (
    KernelDomain,
    ReduceKernel,
    ReduceOperand,
    affine_dimensions,
    build_reduce,
)

_I16, _I32, _U32 = ElementType.INT16, ElementType.INT32, ElementType.UINT32
_LARGEST_SHIFT = 15

document(
    "SignalWindow",
    "SignalFftAutoScale",
    "SignalEnergy",
    types="int16; the energy uint32",
    limits="constant window",
    becomes="`linalg.generic`, `accel.reduce`",
    exact="yes",
)


@operator("SignalWindow", newest_version=1)
def window(node: Node) -> Sequence[ir.Value]:
    """Lower the product with a window, shifted right and saturated."""
    node.expect_operands(2)
    node.expect_types((_I16,) * 3)
    shape, (length,) = node.shape(0), node.constant(1).shape
    shift = integer_option(node, "shift", 0, 31)
    if math.prod(shape) % length:
        node.malformed(f"a window of {length} on {list(shape)}")

    def compute(ins: Sequence[ir.Value]) -> ir.Value:
        product = scalar.multiply(*(scalar.widen(x) for x in ins))
        limited = scalar.clamp(shifted_right(product, shift), *_I16.range)
        return scalar.narrow(limited, emit.signless(16))

    frames = (math.prod(shape) // length, length)
    source = emit.tosa_reshape(node.value(0), frames)
    windowed = map_elements([source, node.value(1)], frames, emit.signless(16), compute)
    return [emit.tosa_reshape(windowed, shape)]


@operator("SignalFftAutoScale", newest_version=1)
def fft_auto_scale(node: Node) -> Sequence[ir.Value]:
    """Lower a shift to the left that uses all bits, and the number of bits."""
    node.expect_operands(1, results=2)
    node.expect_types((_I16, _I16, _I32))
    node.expect_rank(0, 1)
    source, (length,) = node.value(0), node.shape(0)
    (position,) = affine_dimensions(1)

    def larger(accumulators: Sequence[ir.Value], ins: Sequence[ir.Value]) -> Sequence[ir.Value]:
        """Take the magnitude in the order of the samples, in which that of -32768 wraps."""
        (highest,), value = accumulators, scalar.widen(ins[0])
        negative = scalar.subtract(i32_constant(0), value)
        wrapped = scalar.widen(scalar.narrow(negative, emit.signless(16)))
        below = chosen(is_above(negative, highest), wrapped, highest)
        return [chosen(is_above(value, highest), value, below)]

    def bits(accumulators: Sequence[ir.Value], *_: object) -> ir.Value:
        used = most_significant_bit(accumulators[0])
        return scalar.at_least(scalar.subtract(i32_constant(_LARGEST_SHIFT), used), i32_constant(0))

    shift = build_reduce(
        KernelDomain((), (length,)),
        ReduceKernel(lambda _: [i32_constant(0)], larger, bits),
        ins=[ReduceOperand(source, (position,))],
        params=[],
        out=(),
        result=emit.tensor_type((), scalar.i32()),
    )

    def scaled(ins: Sequence[ir.Value]) -> ir.Value:
        return scalar.narrow(arith.ShLIOp(scalar.widen(ins[0]), ins[1]).result, emit.signless(16))

    scaled_up = map_elements([source, shift], (length,), emit.signless(16), scaled)
    return [scaled_up, emit.tosa_reshape(shift, node.outputs[1].shape)]


@operator("SignalEnergy", newest_version=1)
def energy(node: Node) -> Sequence[ir.Value]:
    """Lower the squared magnitudes of a part of the spectrum; those outside of it are 0."""
    node.expect_operands(1)
    node.expect_types((_I16, _U32))
    node.expect_rank(0, 1)
    count = node.shape(0)[0] // 2
    start, end = (integer_option(node, f"{name}_index", 0, count) for name in ("start", "end"))
    if start >= end or node.output.shape != (count,):
        node.malformed(f"energies {start} to {end} of {count} values")
    (position,) = affine_dimensions(1)
    pairs = emit.tosa_reshape(node.value(0), (count, 2))
    parts = [
        (pairs, [position + start, ir.AffineExpr.get_constant(component)]) for component in (0, 1)
    ]

    def compute(ins: Sequence[ir.Value]) -> ir.Value:
        real, imaginary = (scalar.widen(x) for x in ins)
        return scalar.add(scalar.multiply(real, real), scalar.multiply(imaginary, imaginary))

    inside = map_indexed(parts, (end - start,), scalar.i32(), compute)
    outside = [
        emit.tosa_constant(np.zeros(n, np.int32)) if n else None for n in (start, count - end)
    ]
    return [emit.tosa_concat([x for x in (outside[0], inside, outside[1]) if x is not None], 0)]
