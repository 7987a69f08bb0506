"""SVDF of float32, also with int8 weights, and of int8 with int8 or int16 state and time weights.

    state = state without its oldest step, and the features of the input, [batch, filters, memory]
    out   = sum over the ranks of a unit of state * weights over time, + bias

The features are one accel.reduce over the input, the result is another over ranks and memory. The
state is a `tosa.variable`; its new value is a `tosa.concat`.
Inputs of float32 with int8 weights are quantised at run time (`hybrid.py`); the weights over time
become float32.
Sources: TFLite Micro `svdf_common.cc`; LiteRT `reference/svdf.h` (`EvalHybridSVDF`).
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from mlir import ir
from mlir.dialects import tosa
from numpy.typing import NDArray

from forebay.frontends.tflite.file.options import OperatorOptions, SchemaInt8, SchemaInt32
from forebay.frontends.tflite.file.schema import ElementType
from forebay.frontends.tflite.kernels.accumulate import Product, StoredAs, accumulate
from forebay.frontends.tflite.kernels.hybrid import (
    HybridProduct,
    check_symmetric,
    hybrid_sum,
    one_scale,
)
from forebay.frontends.tflite.kernels.quantised_rows import quantised_rows
from forebay.frontends.tflite.lowering import emit
from forebay.frontends.tflite.lowering.activation import activation_bounds
from forebay.frontends.tflite.lowering.node import Node
from forebay.frontends.tflite.lowering.quantize import Multiplier
from forebay.frontends.tflite.lowering.registry import document, operator
from forebay.lowering.kernels.reduce import KernelDomain, ReduceOperand, affine_dimensions


class SVDFOptions(OperatorOptions, frozen=True):
    """SVDF."""

    rank: SchemaInt32
    fused_activation_function: SchemaInt8
    asymmetric_quantize_inputs: bool


_F32, _I8, _I16, _I32 = (
    *(ElementType.FLOAT32, ElementType.INT8),
    *(ElementType.INT16, ElementType.INT32),
)
_INPUT, _FEATURES, _TIME, _BIAS, _STATE = range(5)
_RELU = 1

document(
    "SVDF",
    types="int8 with a state of int8 or int16, float32; float32 with int8 weights",
    limits="int8: a fused RELU",
    becomes="`accel.reduce` ×2, `concat`, `variable`",
    exact="int8",
    golden="TFLite Micro; float32 with int8 weights: LiteRT",
)


@operator("SVDF", newest_version=4)
def svdf(node: Node) -> Sequence[ir.Value]:
    """Lower one step: new features, and the sum over all that the state holds."""
    rank, filters, memory = _sizes(node)
    batch, _ = node.shape(_INPUT)
    state = node.input(_STATE)
    kind = emit.tensor_type(state.shape, emit.mlir_type_of(state.type))
    old = tosa.VariableReadOp(kind, node.state(_STATE)).results[0]
    features = _features(node, filters)
    steps = emit.tosa_reshape(old, (batch, filters, memory))
    kept = emit.tosa_slice(steps, (0, 0, 1), (batch, filters, memory - 1)) if memory > 1 else None
    newest = emit.tosa_reshape(features, (batch, filters, 1))
    new = emit.tosa_concat([*([kept] if kept is not None else []), newest], 2)
    tosa.VariableWriteOp(node.state(_STATE), emit.tosa_reshape(new, state.shape))
    return [_over_time(node, new, rank)]


def _features(node: Node, filters: int) -> ir.Value:
    """Build `[batch, filters]`, the sums of the input by the weights of the features."""
    batch, depth = node.shape(_INPUT)
    state, is_float = node.input(_STATE), node.output.type is _F32
    n, f, k = affine_dimensions(3)
    domain = KernelDomain((batch, filters), (depth,))
    weights = ReduceOperand(node.value(_FEATURES), (f, k))
    if is_float and node.input(_FEATURES).type is _I8:
        is_asymmetric = node.options(SVDFOptions).asymmetric_quantize_inputs
        rows = quantised_rows(node.value(_INPUT), is_asymmetric=is_asymmetric)
        scale = one_scale(node.quantization(node.input(_FEATURES)).scale)
        return hybrid_sum(
            HybridProduct(domain, rows, (n,), weights, scale, (n, f)), domain.parallel
        )
    product = Product(
        domain,
        ReduceOperand(node.value(_INPUT), (n, k)),
        weights,
        f,
        (n, f),
        zero_points=(0 if is_float else node.quantization(node.input(_INPUT)).zero_point, 0),
        factors=[] if is_float else [_feature_factor(node)],
    )
    return accumulate(product, (batch, filters), StoredAs(state.type, _state_zero(node)))


def _weights_over_time(node: Node) -> ir.Value:
    weights = node.input(_TIME)
    if node.output.type is not _F32 or weights.type is _F32:
        return node.value(_TIME)
    scale = np.float32(node.quantization(weights).scale)
    return emit.tosa_constant(node.constant(_TIME).astype(np.float32) * scale)


def _over_time(node: Node, state: ir.Value, rank: int) -> ir.Value:
    """Build `out[n, u] = sum(state[n, u*R + r, m] * weights[u*R + r, m])`, + bias."""
    batch, filters, memory = emit.static_shape_of(state)
    units = filters // rank
    n, u, r, m = affine_dimensions(4)
    is_float = node.output.type is _F32
    activation = node.options(SVDFOptions).fused_activation_function
    bounds = activation_bounds(node, activation) if is_float else None
    zero_point = 0 if is_float else node.quantization(node.output).zero_point
    return accumulate(
        Product(
            KernelDomain((batch, units), (rank, memory)),
            ReduceOperand(state, (n, u * rank + r, m)),
            ReduceOperand(_weights_over_time(node), (u * rank + r, m)),
            u,
            (n, u),
            zero_points=(_state_zero(node), 0),
            bias=_bias(node, units),
            factors=[] if is_float else [_result_factor(node, units)],
        ),
        (batch, units),
        StoredAs(node.output.type, zero_point, bounds),
    )


def _sizes(node: Node) -> tuple[int, int, int]:
    """Return rank, filters and memory, after checking types and shapes."""
    node.expect_operands(5)
    kinds = [
        (_F32, _F32, _F32, _F32, _F32, _F32),
        (_F32, _I8, _I8, _F32, _F32, _F32),
        (_I8, _I8, _I16, _I32, _I16, _I8),
        (_I8, _I8, _I8, _I32, _I8, _I8),
    ]
    without = [kind[:3] + kind[4:] for kind in kinds]
    node.expect_types(*kinds, *without)
    options = node.options(SVDFOptions)
    node.expect_rank(_INPUT, 2)
    features, time = node.constant(_FEATURES), node.constant(_TIME)
    batch, depth = node.shape(_INPUT)
    filters, memory = time.shape if time.ndim == 2 else (0, 0)
    state = int(np.prod(node.input(_STATE).shape))
    fits = features.shape == (filters, depth) and state == batch * filters * memory
    if not fits or options.rank < 1 or filters % options.rank:
        node.malformed(f"its shapes {list(features.shape)} and {list(time.shape)} do not fit")
    if node.output.type is _I8 and options.fused_activation_function != _RELU:
        node.refuse("a fused activation that is not RELU", "TFLite Micro takes RELU only")
    if node.output.type is _F32 and node.input(_FEATURES).type is _I8:
        check_symmetric(node, (_FEATURES, _TIME))
    return options.rank, filters, memory


def _state_zero(node: Node) -> int:
    state = node.input(_STATE)
    return node.quantization(state).zero_point if state.type is _I8 else 0


def _bias(node: Node, units: int) -> NDArray[np.generic] | None:
    if not node.has(_BIAS):
        return None
    bias = node.constant(_BIAS)
    if bias.shape != (units,):
        node.malformed(f"the bias has the shape {list(bias.shape)}, not [{units}]")
    return bias


def _feature_factor(node: Node) -> Multiplier:
    source, weights, state = (node.quantization(node.input(i)) for i in (_INPUT, _FEATURES, _STATE))
    rows = np.abs(node.constant(_FEATURES).astype(np.int64)).sum(1)
    lowest, highest = _I8.range
    reach = int(rows.max()) * max(highest - source.zero_point, source.zero_point - lowest)
    return node.multiplier(source.scale * weights.scale / state.scale, reach=reach)


def _result_factor(node: Node, units: int) -> Multiplier:
    state, time = (node.quantization(node.input(i)) for i in (_STATE, _TIME))
    real = state.scale * time.scale / node.quantization(node.output).scale
    if node.input(_STATE).type is _I16:
        # Over all values that a state of int16 could have, each sum of TFLite's could overflow.
        return node.multiplier(real)
    lowest, highest = _I8.range
    largest = max(highest - state.zero_point, state.zero_point - lowest)
    weights = np.abs(node.constant(_TIME).astype(np.int64)).reshape(units, -1).sum(1).max()
    bias = 0 if not node.has(_BIAS) else int(np.abs(node.constant(_BIAS).astype(np.int64)).max())
    return node.multiplier(real, reach=largest * int(weights) + bias)
