"""SOFTMAX of int16: exponentials and a reciprocal from tables of 512 intervals.

    exps   = table of exp in [-10, 0] at (x - max(x)) * factor       [..., columns] i16, Q0.15
    total  = sum(exps)                                               [...] i32
    result = exps * table of 1 / (1 + x) at the total, shifted       [..., columns] i16

Source: TFLite `reference/softmax.h` (SoftmaxInt16), `common.h` (LUTPopulate, LUTLookup).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from mlir import ir
from mlir.dialects import arith, tensor
from mlir.dialects import math as mathlib
from numpy.typing import NDArray

from forebay.frontends.tflite.kernels.scaled import rescaled
from forebay.frontends.tflite.lowering import emit
from forebay.frontends.tflite.lowering.quantize import Multiplier
from forebay.lowering.kernels import scalar
from forebay.lowering.kernels.rows import empty_rows, fill_rows, over_rows, reduce_rows

INPUT_SCALE = 10.0 / 65535.0
"""The scale of differences in the table of exponentials."""
_INTERVALS = 512
_LEAST, _MOST = -(1 << 15), (1 << 15) - 1
_Floats = NDArray[np.float32]


def lower_wide_softmax(source: ir.Value, factor: Multiplier) -> ir.Value:
    """Build the softmax of each row of `[..., columns]`; the result overwrites its exponentials."""
    shape = emit.static_shape_of(source)
    i16, i32 = emit.signless(16), scalar.i32()
    exponentials = emit.tosa_constant(_table(np.exp, INPUT_SCALE, _MOST))
    reciprocals = emit.tosa_constant(_table(_one_over_one_plus, 1.0 / 65535.0, _LEAST))
    highest = reduce_rows("highest", source, _LEAST, scalar.at_least)

    def exp(ins: Sequence[ir.Value]) -> ir.Value:
        difference = scalar.subtract(scalar.widen(ins[0]), scalar.widen(ins[1]))
        index = scalar.add_constant(rescaled(difference, factor), _MOST)
        return scalar.narrow(_looked_up(exponentials, index), i16)

    def add(elements: Sequence[ir.Value]) -> ir.Value:
        return scalar.add(elements[1], scalar.widen(elements[0]))

    exps = over_rows([source, highest], empty_rows(shape, i16), exp)
    sums = fill_rows("total", shape[:-1], 0)
    total = over_rows([exps], sums, add, columns_are_reduced=True)

    def normalise(elements: Sequence[ir.Value]) -> ir.Value:
        total, exp = elements
        zeros = mathlib.CountLeadingZerosOp(total).result
        inverse = _looked_up(reciprocals, _position(total, zeros))
        i64 = emit.signless(64)
        product = scalar.multiply(
            *(arith.ExtSIOp(i64, x).result for x in (scalar.widen(exp), inverse))
        )
        bits = arith.ExtSIOp(i64, scalar.subtract(_i32(31), zeros)).result
        one = scalar.scalar_constant(1, i64)
        half = arith.ShLIOp(one, scalar.subtract(bits, one)).result
        result = arith.ShRSIOp(scalar.add(product, half), bits).result
        return scalar.narrow(scalar.clamp(scalar.narrow(result, i32), 0, _MOST), i16)

    return over_rows([total], exps, normalise)


def _position(total: ir.Value, zeros: ir.Value) -> ir.Value:
    """Return the position of the total, shifted into [1, 2), in the table of reciprocals."""
    i64 = emit.signless(64)
    wide = arith.ExtSIOp(i64, total).result
    bits = arith.ExtSIOp(i64, scalar.add_constant(zeros, -1)).result
    shifted = arith.ShLIOp(wide, bits).result
    rounded = scalar.add(shifted, scalar.scalar_constant(1 << 13, i64))
    sum_ = scalar.narrow(
        arith.ShRSIOp(rounded, scalar.scalar_constant(14, i64)).result, scalar.i32()
    )
    return scalar.add_constant(sum_, -((1 << 15) + (1 << 16)))


def _looked_up(table: ir.Value, position: ir.Value) -> ir.Value:
    """Return the interpolation between two entries at a position, which is limited to int16."""
    limited = scalar.clamp(position, _LEAST, _MOST)
    index = scalar.add_constant(arith.ShRSIOp(limited, _i32(7)).result, _INTERVALS // 2)
    offset = arith.AndIOp(limited, _i32(0x7F)).result
    base, following = (
        scalar.widen(tensor.ExtractOp(table, [_index(scalar.add_constant(index, i))]).result)
        for i in range(2)
    )
    slope = scalar.multiply(scalar.subtract(following, base), offset)
    return scalar.add(base, arith.ShRSIOp(scalar.add_constant(slope, 64), _i32(7)).result)


def _table(
    function: Callable[[_Floats], _Floats], scale: float, zero_point: int
) -> NDArray[np.int16]:
    """Return 513 samples of the function in float32, each less half the error in the middle."""
    f32 = np.float32
    low, high = (f32(scale) * f32(end - zero_point) for end in (_LEAST, _MOST))
    step = (high - low) / f32(_INTERVALS)
    steps = np.arange(_INTERVALS, dtype=f32) * step
    scaling = f32(1 << 16) / (f32(2.0 / 65535.0) * f32(_MOST) - f32(2.0 / 65535.0) * f32(_LEAST))
    at = low + steps
    sample = _rounded(function(at) * scaling)
    following = function(low + np.arange(1, _INTERVALS + 1, dtype=f32) * step) * scaling
    middle = _rounded(function(at + step / f32(2)) * scaling)
    error = _rounded((following + sample) / f32(2)) - middle
    corrected = sample - _rounded(np.divide(error, f32(2), dtype=f32))
    entries = np.append(corrected, _rounded(function(high) * scaling))
    return np.clip(entries, _LEAST, _MOST).astype(np.int16)


def _rounded(values: _Floats) -> _Floats:
    """Round halves away from zero."""
    return (np.sign(values) * np.floor(np.abs(values) + np.float32(0.5))).astype(np.float32)


def _one_over_one_plus(x: _Floats) -> _Floats:
    return np.float32(1) / (np.float32(1) + x)


def _index(value: ir.Value) -> ir.Value:
    return arith.IndexCastOp(ir.IndexType.get(), value).result


def _i32(value: int) -> ir.Value:
    return scalar.scalar_constant(value, scalar.i32())
