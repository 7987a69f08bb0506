"""Softmax, LogSoftmax, and normalisations by layer, group, channel and batch, of float32."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

import numpy as np
from mlir import ir
from mlir.dialects import arith, tosa
from mlir.dialects import math as mathlib

from forebay.frontends import tosa as emit
from forebay.frontends.elementwise import map_elements
from forebay.frontends.onnx.lowering.layout import LaidOut, permuted
from forebay.frontends.onnx.lowering.node import OnnxNode
from forebay.frontends.onnx.lowering.powers import magnitude_power, power_root
from forebay.frontends.onnx.lowering.registry import document_onnx, onnx_operator
from forebay.ir.softmax import FloatSoftmax, build_softmax
from forebay.lowering.kernels import scalar

_Function = Callable[[ir.Value, ir.Value], ir.Value]

document_onnx(
    *("BatchNormalization", "GroupNormalization", "InstanceNormalization", "LayerNormalization"),
    *("LogSoftmax", "RMSNormalization", "Softmax", "QLinearSoftmax"),
    types="float32; QLinearSoftmax: int8, uint8 through float32",
    limits="constant scales and biases of BatchNormalization",
    golden="1e-6; QLinearSoftmax: one step at most",
)
document_onnx("LpNormalization", types="float32", golden="1e-6")


@onnx_operator("Softmax", "LogSoftmax")
def softmax(node: OnnxNode) -> Sequence[LaidOut]:
    """Lower the exponentials divided by their sum, along one axis."""
    node.expect_floats(0)
    operand = node.operand(0)
    shape = operand.shape
    default = -1 if node.opset >= 13 else 1
    axis = node.axis(int(node.attribute("axis", default)), len(shape))
    if node.opset < 13 and axis != len(shape) - 1:
        node.refuse("an axis that is not the last, before opset 13", "convert to opset 13")
    if operand.last and axis == 1:
        return [operand.with_value(_soft(node, operand.value))]
    value = operand.logical()
    order = [*(i for i in range(len(shape)) if i != axis), axis]
    soft = _soft(node, permuted(value, order))
    return [LaidOut(permuted(soft, [order.index(i) for i in range(len(shape))]))]


def _soft(node: OnnxNode, value: ir.Value) -> ir.Value:
    if node.operator.kind == "Softmax":
        return build_softmax(value, FloatSoftmax(1.0))
    axis = len(emit.static_shape_of(value)) - 1
    shifted = _combined(scalar.subtract, value, tosa.ReduceMaxOp(value, axis).result)
    total = emit.tosa_reduce_sum(tosa.ExpOp(shifted.type, shifted).result, axis)
    return _combined(scalar.subtract, shifted, tosa.LogOp(total.type, total).result)


@onnx_operator("LayerNormalization")
def layer_normalization(node: OnnxNode) -> Sequence[LaidOut]:
    """Lower `(x - mean) / sqrt(variance + epsilon) * scale + bias` over the last dimensions."""
    node.expect_floats(0, 1, 2)
    value = node.value(0)
    shape = emit.static_shape_of(value)
    axis = node.axis(int(node.attribute("axis", -1)), len(shape))
    epsilon = float(node.attribute("epsilon", 1e-5))
    flat = emit.tosa_reshape(value, (*shape[:axis], math.prod(shape[axis:])))
    mean = _mean(flat, [axis])
    centred = _combined(scalar.subtract, flat, mean)
    variance = _mean(_combined(scalar.multiply, centred, centred), [axis])
    result = emit.tosa_reshape(_divided_by_root(centred, variance, epsilon), shape)
    for index, function in ((1, scalar.multiply), (2, scalar.add)):
        if node.has(index):
            result = _combined(function, result, node.value(index))
    kept = (*shape[:axis], *(1,) * (len(shape) - axis))
    ones = emit.tosa_constant(np.ones((1,) * (axis + 1), np.float32))
    results = [LaidOut(result), LaidOut(emit.tosa_reshape(mean, kept))]
    if node.is_read(2):
        inverse = _divided_by_root(ones, variance, epsilon)
        results.append(LaidOut(emit.tosa_reshape(inverse, kept)))
    return results


@onnx_operator("InstanceNormalization")
def instance_normalization(node: OnnxNode) -> Sequence[LaidOut]:
    """Lower the normalisation of each channel of each image."""
    node.expect_floats(0, 1, 2)
    value = node.operand(0).channels_last()
    axes = list(range(1, len(emit.static_shape_of(value)) - 1))
    normal = _normalised(value, axes, float(node.attribute("epsilon", 1e-5)))
    scaled = _combined(scalar.multiply, normal, node.value(1))
    return [LaidOut(_combined(scalar.add, scaled, node.value(2)), last=True)]


@onnx_operator("GroupNormalization")
def group_normalization(node: OnnxNode) -> Sequence[LaidOut]:
    """Lower the normalisation of each group of channels of each image."""
    node.expect_floats(0, 1, 2)
    groups = int(node.attribute("num_groups", 1))
    value = node.operand(0).channels_last()
    shape = emit.static_shape_of(value)
    if len(shape) < 3 or groups < 1 or shape[-1] % groups:
        node.malformed(f"{node.shape(0)} in {groups} groups")
    members = shape[-1] // groups
    split = emit.tosa_reshape(value, (shape[0], math.prod(shape[1:-1]), groups, members))
    normal = _normalised(split, [1, 3], float(node.attribute("epsilon", 1e-5)))
    result = emit.tosa_reshape(normal, shape)
    for index, function in ((1, scalar.multiply), (2, scalar.add)):
        result = _combined(function, result, node.value(index))
    return [LaidOut(result, last=True)]


@onnx_operator("RMSNormalization")
def rms_normalization(node: OnnxNode) -> Sequence[LaidOut]:
    """Lower `x / sqrt(mean of squares + epsilon) * scale` over the last dimensions."""
    node.expect_floats(0, 1)
    value = node.value(0)
    shape = emit.static_shape_of(value)
    axis = node.axis(int(node.attribute("axis", -1)), len(shape))
    flat = emit.tosa_reshape(value, (*shape[:axis], math.prod(shape[axis:])))
    squares = _mean(_combined(scalar.multiply, flat, flat), [axis])
    normal = _divided_by_root(flat, squares, float(node.attribute("epsilon", 1e-5)))
    return [LaidOut(_combined(scalar.multiply, emit.tosa_reshape(normal, shape), node.value(1)))]


@onnx_operator("BatchNormalization")
def batch_normalization(node: OnnxNode) -> Sequence[LaidOut]:
    """Lower a factor and an offset for each channel."""
    node.expect_floats(*range(5))
    if node.attribute("training_mode", 0):
        node.refuse("training_mode", "export the model for inference")
    scale, bias, mean, variance = (node.constant(i).astype(np.float64) for i in range(1, 5))
    factor = scale / np.sqrt(variance + float(node.attribute("epsilon", 1e-5)))
    offset = bias - mean * factor
    operand = node.operand(0)
    rank = len(operand.shape)
    shape = (-1,) if operand.last or rank < 3 else (-1, *(1,) * (rank - 2))
    value = operand.value if operand.last else operand.logical()
    constants = [emit.tosa_constant(x.astype(np.float32).reshape(shape)) for x in (factor, offset)]
    result = map_elements(
        [value, *constants],
        emit.static_shape_of(value),
        ir.F32Type.get(),
        lambda ins: scalar.add(scalar.multiply(ins[0], ins[1]), ins[2]),
    )
    return [LaidOut(result, last=operand.last)]


@onnx_operator("LpNormalization")
def lp_normalization(node: OnnxNode) -> Sequence[LaidOut]:
    """Lower the division by the norm along an axis; 0 where the norm is 0."""
    node.expect_floats(0)
    value = node.value(0)
    axis = node.axis(int(node.attribute("axis", -1)), len(node.shape(0)))
    exponent = int(node.attribute("p", 2))
    if exponent not in (1, 2):
        node.malformed(f"p of {exponent}")
    shape, f32 = emit.static_shape_of(value), ir.F32Type.get()
    powers = map_elements([value], shape, f32, lambda ins: magnitude_power(ins[0], exponent))
    norms = emit.tosa_reduce_sum(powers, axis)

    def compute(ins: Sequence[ir.Value]) -> ir.Value:
        norm, zero = power_root(ins[1], exponent), scalar.scalar_constant(0.0, f32)
        is_zero = arith.CmpFOp(arith.CmpFPredicate.OEQ, norm, zero).result
        return arith.SelectOp(is_zero, zero, scalar.divide(ins[0], norm)).result

    return [LaidOut(map_elements([value, norms], shape, f32, compute))]


def _normalised(value: ir.Value, axes: Sequence[int], epsilon: float) -> ir.Value:
    centred = _combined(scalar.subtract, value, _mean(value, axes))
    variance = _mean(_combined(scalar.multiply, centred, centred), axes)
    return _divided_by_root(centred, variance, epsilon)


def _divided_by_root(value: ir.Value, squares: ir.Value, epsilon: float) -> ir.Value:
    """Build `value / sqrt(squares + epsilon)`."""
    f32 = ir.F32Type.get()

    def compute(ins: Sequence[ir.Value]) -> ir.Value:
        raised = scalar.add(ins[1], scalar.scalar_constant(epsilon, f32))
        return scalar.divide(ins[0], mathlib.SqrtOp(raised).result)

    shapes = (emit.static_shape_of(value), emit.static_shape_of(squares))
    return map_elements([value, squares], np.broadcast_shapes(*shapes), f32, compute)


def _mean(value: ir.Value, axes: Sequence[int]) -> ir.Value:
    shape = emit.static_shape_of(value)
    count = math.prod(shape[a] for a in axes)
    for axis in axes:
        value = emit.tosa_reduce_sum(value, axis)
    shape = emit.static_shape_of(value)
    factor = emit.tosa_constant(np.full((1,) * len(shape), 1.0 / count, np.float32))
    return emit.tosa_multiply(value, factor, shape)


def _combined(function: _Function, a: ir.Value, b: ir.Value) -> ir.Value:
    shape = emit.static_shape_of(a)
    return map_elements([a, b], shape, ir.F32Type.get(), lambda ins: function(ins[0], ins[1]))
