"""UNIDIRECTIONAL_SEQUENCE_LSTM of int8, int16 and float32, the last two also with int8 weights.

    for each time step, with hidden state h, cell state c and input x:
        gate = activation(W x + b + R h)     input, forget, output: logistic; cell: tanh
        c    = clip(forget * c + input * cell)
        h    = output * tanh(c)

The steps are an `scf.for`; h and c are `tosa.variable`s, read before it and written after it. Each
product is one `accel.reduce`. Quantised gates are Q3.12 before their activation and Q0.15 after it;
each product is saturated to int16 before the sum, as in TFLite Micro. There is no peephole, no
projection, no layer normalisation and no coupled gate, as in TFLite Micro.
Inputs and hidden states of float32 with int8 weights are quantised at run time (`hybrid.py`).
Sources: TFLite Micro `unidirectional_sequence_lstm.cc`, `lstm_eval.cc`, `lstm_eval_common.cc`;
LiteRT `lstm_eval.cc` (`EvalHybrid`).
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from mlir import ir
from mlir.dialects import arith, scf, tensor, tosa

from forebay.frontends.tflite.file.options import OperatorOptions, SchemaInt8
from forebay.frontends.tflite.file.schema import ElementType
from forebay.frontends.tflite.kernels.accumulate import StoredAs
from forebay.frontends.tflite.kernels.fixed_sigmoid import InputScale, sigmoid_table
from forebay.frontends.tflite.kernels.hybrid import check_symmetric
from forebay.frontends.tflite.kernels.lstm_step import CellArithmetic, Gate, GateProduct, LstmStep
from forebay.frontends.tflite.lowering import emit
from forebay.frontends.tflite.lowering.node import Node
from forebay.frontends.tflite.lowering.registry import document, operator


class UnidirectionalSequenceLSTMOptions(OperatorOptions, frozen=True):
    """UNIDIRECTIONAL_SEQUENCE_LSTM."""

    fused_activation_function: SchemaInt8
    cell_clip: float
    proj_clip: float
    time_major: bool
    asymmetric_quantize_inputs: bool


_F32, _I8, _I16 = ElementType.FLOAT32, ElementType.INT8, ElementType.INT16
_TANH = 4
_OPERANDS = 24
_ABSENT = (9, 10, 11, 16, 17, 20, 21, 22, 23)
"""Weights of peepholes, of the projection and of layer normalisation."""
_HIDDEN, _CELL = 18, 19
_GATES = {"input": 0, "forget": 1, "cell": 2, "output": 3}
"""The order of the gates in the operands: 1 to 4, 5 to 8 and 12 to 15."""
_GATE_SCALE = 2.0**-12
_ACTIVATED_SCALE = 2.0**-15

document(
    "UNIDIRECTIONAL_SEQUENCE_LSTM",
    types="int8, int16, float32; float32 with int8 weights",
    limits="tanh; no peephole, projection, layer normalisation",
    becomes="`scf.for` of `accel.reduce`s and `linalg.generic`s, `variable`s",
    exact="int8, int16",
    golden="TFLite Micro; float32 with int8 weights: LiteRT",
)


@operator("UNIDIRECTIONAL_SEQUENCE_LSTM", newest_version=4)
def unidirectional_sequence_lstm(node: Node) -> Sequence[ir.Value]:
    """Lower the steps over time."""
    options = _checked(node)
    batch, steps, _ = _sizes(node, time_major=options.time_major)
    step = _step(node, options)
    states = [tosa.VariableReadOp(_state_type(node, i), node.state(i)) for i in (_HIDDEN, _CELL)]
    units = node.shape(5)[0]
    hidden, cell = (emit.tosa_reshape(s.results[0], (batch, units)) for s in states)
    if steps == 1:
        source = emit.tosa_reshape(node.value(0), (batch, node.shape(0)[-1]))
        hidden, cell = step.build(source, hidden, cell)
        result = hidden
    else:
        shape = (*node.shape(0)[:2], units)
        hidden, cell, result = _loop(node, step, (hidden, cell), shape, options.time_major)
    for index, value in ((_HIDDEN, hidden), (_CELL, cell)):
        stored = emit.tosa_reshape(value, emit.static_shape_of(states[index - _HIDDEN].results[0]))
        tosa.VariableWriteOp(node.state(index), stored)
    return [emit.tosa_reshape(result, (*node.shape(0)[:2], units))]


def _loop(
    node: Node,
    step: LstmStep,
    states: tuple[ir.Value, ir.Value],
    shape: emit.Shape,
    time_major: bool,
) -> tuple[ir.Value, ir.Value, ir.Value]:
    """Build the loop over time; each step writes its row of the result."""
    axis = 0 if time_major else 1
    index = ir.IndexType.get()
    zero, one, end = (arith.ConstantOp(index, n).result for n in (0, 1, shape[axis]))
    result = tensor.EmptyOp(list(shape), emit.element_of(states[0])).result
    loop = scf.ForOp(zero, end, one, [*states, result])
    with ir.InsertionPoint(loop.body):
        time = loop.induction_variable
        hidden, cell, result = loop.inner_iter_args
        source = _row(node.value(0), axis, time)
        hidden, cell = step.build(source, hidden, cell)
        result = _with_row(result, hidden, axis, time)
        scf.YieldOp([hidden, cell, result])
    hidden, cell, result = loop.results
    return hidden, cell, result


def _row(value: ir.Value, axis: int, time: ir.Value) -> ir.Value:
    """Return `[batch, n]` of one step."""
    offsets, sizes = _place(value, axis)
    shape = [d for i, d in enumerate(sizes) if i != axis]
    kind = emit.tensor_type(shape, emit.element_of(value))
    return tensor.ExtractSliceOp(
        kind, value, [time], [], [], offsets, sizes, [1] * len(sizes)
    ).result


def _with_row(value: ir.Value, row: ir.Value, axis: int, time: ir.Value) -> ir.Value:
    offsets, sizes = _place(value, axis)
    return tensor.InsertSliceOp(row, value, [time], [], [], offsets, sizes, [1] * len(sizes)).result


def _place(value: ir.Value, axis: int) -> tuple[list[int], list[int]]:
    shape = emit.static_shape_of(value)
    dynamic = ir.ShapedType.get_dynamic_stride_or_offset()
    offsets = [dynamic if i == axis else 0 for i in range(len(shape))]
    return offsets, [1 if i == axis else d for i, d in enumerate(shape)]


def _checked(node: Node) -> UnidirectionalSequenceLSTMOptions:
    node.expect_operands(20, _OPERANDS)
    options = node.options(UnidirectionalSequenceLSTMOptions)
    if any(node.has(i) for i in _ABSENT):
        node.refuse(
            "a peephole, a projection or layer normalisation", "convert the layer without it"
        )
    if options.fused_activation_function != _TANH:
        node.refuse("an activation that is not tanh", "use tanh")
    node.expect_rank(0, 3)
    source, weights = node.input(0).type, _F32 if _is_float(node) else _I8
    biases = {_F32: ElementType.FLOAT32, _I8: ElementType.INT32, _I16: ElementType.INT64}
    if source not in biases or node.output.type is not source:
        node.refuse(f"data of type {node.input(0).type_name}", "use FLOAT32, INT8 or INT16")
    cell = _F32 if source is _F32 else _I16
    expected = dict.fromkeys(range(1, 9), weights) | {_HIDDEN: source, _CELL: cell}
    expected |= dict.fromkeys(range(12, 16), biases[source])
    for index, kind in expected.items():
        if node.input(index).type is not kind:
            node.refuse(
                f"operand {index} of type {node.input(index).type_name}", f"use {kind.name}"
            )
    if _is_hybrid(node):
        check_symmetric(node, range(1, 9))
    return options


def _is_float(node: Node) -> bool:
    return node.input(0).type is _F32 and node.input(1).type is not _I8


def _is_hybrid(node: Node) -> bool:
    return node.input(0).type is _F32 and node.input(1).type is _I8


def _sizes(node: Node, *, time_major: bool) -> tuple[int, int, int]:
    """Return batch, steps and units, after checking all shapes."""
    first, second, depth = node.shape(0)
    batch, steps = (second, first) if time_major else (first, second)
    units = node.shape(5)[0]
    wanted = dict.fromkeys(range(1, 5), (units, depth)) | dict.fromkeys(range(5, 9), (units, units))
    wanted |= dict.fromkeys(range(12, 16), (units,))
    for index, shape in wanted.items():
        if node.constant(index).shape != shape:
            node.malformed(f"operand {index} has the shape {list(node.shape(index))}")
    for index in (_HIDDEN, _CELL):
        if math.prod(node.input(index).shape) != batch * units:
            node.malformed(f"its state has the shape {list(node.input(index).shape)}")
    return batch, steps, units


def _state_type(node: Node, index: int) -> ir.RankedTensorType:
    state = node.input(index)
    return emit.tensor_type(state.shape, emit.mlir_type_of(state.type))


def _step(node: Node, options: UnidirectionalSequenceLSTMOptions) -> LstmStep:
    gates = {name: _gate(node, number, name) for name, number in _GATES.items()}
    clip = options.cell_clip if options.cell_clip > 0 else None
    if node.output.type is _F32:
        how = options.asymmetric_quantize_inputs if _is_hybrid(node) else None
        return LstmStep(**gates, clip=clip, table=None, arithmetic=None, is_asymmetric=how)
    scale = node.quantization(node.input(_CELL)).scale
    if clip is not None:
        clip = int(min(clip / scale, 32767.0))
    return LstmStep(
        **gates,
        clip=clip,
        table=sigmoid_table(),
        arithmetic=_arithmetic(node, scale),
        is_asymmetric=None,
    )


def _gate(node: Node, number: int, name: str) -> Gate:
    bias = node.constant(12 + number)
    return Gate(
        _product(node, 0, 1 + number, bias),
        _product(node, _HIDDEN, 5 + number, None),
        is_tanh=name == "cell",
    )


def _product(node: Node, source: int, weights: int, bias: np.ndarray | None) -> GateProduct:
    with node.constant_location(weights):
        value = node.value(weights)
    if node.output.type is _F32:
        is_hybrid = node.input(weights).type is _I8
        scale = node.quantization(node.input(weights)).scale if is_hybrid else None
        return GateProduct(value, bias, scale=scale)
    data, scaled = node.quantization(node.input(source)), node.quantization(node.input(weights))
    rows = node.constant(weights).astype(np.int64) - scaled.zero_point
    lowest, highest = node.input(source).type.range
    largest = max(highest - data.zero_point, data.zero_point - lowest)
    most = 0 if bias is None else int(np.abs(bias.astype(np.int64)).max())
    reach = int(np.abs(rows).sum(1).max()) * largest + most
    real = data.scale * scaled.scale / _GATE_SCALE
    wide = node.input(source).type is _I16
    factor = node.wide_multiplier(real, reach) if wide else node.multiplier(real, reach=reach)
    zero_points = (data.zero_point, scaled.zero_point)
    return GateProduct(value, bias, zero_points, (factor,), wide, reach)


def _arithmetic(node: Node, cell_scale: float) -> CellArithmetic:
    power = math.log2(cell_scale)
    if power != round(power):
        node.refuse(f"a cell state of scale {cell_scale:g}", "use a power of two")
    hidden = node.quantization(node.input(_HIDDEN))
    product = _ACTIVATED_SCALE * _ACTIVATED_SCALE
    reach = 1 << 30
    shift = 15 + round(power) - 3
    return CellArithmetic(
        node.multiplier(_ACTIVATED_SCALE, reach=reach),
        node.multiplier(product / cell_scale, reach=reach),
        node.multiplier(product / hidden.scale, reach=reach),
        InputScale(3 << shift, 0) if shift >= 0 else InputScale(3, -shift),
        StoredAs(node.input(_HIDDEN).type, hidden.zero_point),
    )
