"""QUANTIZE of float32 to int8 or int16, which TOSA cannot express exactly.

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
from forebay.frontends.tflite.file.schema import ElementType, TfliteQuantization
from forebay.frontends.tflite.lowering import emit


def quantize_floats(value: ir.Value, target: TfliteQuantization, to: ElementType) -> ir.Value:
    """Build the quantised tensor of the same shape."""
    shape = emit.static_shape_of(value)
    element, stored = ir.F32Type.get(), emit.mlir_type_of(to)
    init = tensor.EmptyOp(list(shape), stored).result
    op = linalg.GenericOp(
        [init.type],
        [value],
        [init],
        _identity_maps(len(shape)),
        ir.ArrayAttr.get([ir.Attribute.parse("#linalg.iterator_type<parallel>")] * len(shape)),
    )
    location = ir.Location.current
    block = op.regions[0].blocks.append(element, stored, arg_locs=[location, location])
    with ir.InsertionPoint(block):
        linalg.YieldOp([_quantize(block.arguments[0], target, to)])
    return op.results[0]


def _identity_maps(rank: int) -> ir.ArrayAttr:
    identity = ir.AffineMapAttr.get(ir.AffineMap.get_identity(rank))
    return ir.ArrayAttr.get([identity, identity])


def _quantize(x: ir.Value, target: TfliteQuantization, to: ElementType) -> ir.Value:
    zero_point = target.zero_point
    lowest, highest = to.range
    rounded = math.RoundOp(arith.DivFOp(x, _float(target.scale)).result).result
    raised = arith.MaxNumFOp(rounded, _float(lowest - zero_point)).result
    limited = arith.MinNumFOp(raised, _float(highest - zero_point)).result
    integer = arith.FPToSIOp(emit.signless(32), limited).result
    offset = arith.ConstantOp(emit.signless(32), zero_point).result
    return arith.TruncIOp(emit.mlir_type_of(to), arith.AddIOp(integer, offset).result).result


def _float(value: float) -> ir.Value:
    return arith.ConstantOp(ir.F32Type.get(), float(value)).result
