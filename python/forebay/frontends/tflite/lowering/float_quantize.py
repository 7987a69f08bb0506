"""QUANTIZE of float32 to int8, which TOSA cannot express exactly.

TOSA has no division, and its cast rounds halves to even. So this builds one `linalg.generic` over
the elements: divide by the scale in float32, round halves away from zero, saturate, add the zero
point. NaN becomes the lowest value. A quotient outside 32 bits saturates by its sign; in TFLite its
conversion to an integer is undefined.
Source: TFLite `reference/quantize.h`.
"""

from __future__ import annotations

from mlir import ir
from mlir.dialects import arith, math, tensor

from forebay.dialects import linalg
from forebay.frontends.tflite.file.schema import TfliteQuantization
from forebay.frontends.tflite.lowering import emit

_LOWEST, _HIGHEST = -128, 127


def quantize_floats(value: ir.Value, target: TfliteQuantization) -> ir.Value:
    """Build the quantised tensor: i8, of the same shape."""
    shape = emit.static_shape_of(value)
    element, i8 = ir.F32Type.get(), emit.signless(8)
    init = tensor.EmptyOp(list(shape), i8).result
    op = linalg.GenericOp(
        [init.type],
        [value],
        [init],
        _identity_maps(len(shape)),
        ir.ArrayAttr.get([ir.Attribute.parse("#linalg.iterator_type<parallel>")] * len(shape)),
    )
    location = ir.Location.current
    block = op.regions[0].blocks.append(element, i8, arg_locs=[location, location])
    with ir.InsertionPoint(block):
        linalg.YieldOp([_quantize(block.arguments[0], target)])
    return op.results[0]


def _identity_maps(rank: int) -> ir.ArrayAttr:
    identity = ir.AffineMapAttr.get(ir.AffineMap.get_identity(rank))
    return ir.ArrayAttr.get([identity, identity])


def _quantize(x: ir.Value, target: TfliteQuantization) -> ir.Value:
    zero_point = target.zero_point
    rounded = math.RoundOp(arith.DivFOp(x, _float(target.scale)).result).result
    raised = arith.MaxNumFOp(rounded, _float(_LOWEST - zero_point)).result
    limited = arith.MinNumFOp(raised, _float(_HIGHEST - zero_point)).result
    integer = arith.FPToSIOp(emit.signless(32), limited).result
    offset = arith.ConstantOp(emit.signless(32), zero_point).result
    return arith.TruncIOp(emit.signless(8), arith.AddIOp(integer, offset).result).result


def _float(value: float) -> ir.Value:
    return arith.ConstantOp(ir.F32Type.get(), float(value)).result
