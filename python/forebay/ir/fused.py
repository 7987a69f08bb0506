"""Operators of TOSA as one value for all targets: op, rescale and clamp together.

    tosa.pad? -> tosa.conv2d -> tosa.rescale? -> tosa.clamp?      is one `Convolution`
    tosa.rescale? -> tosa.reduce_sum, ... -> tosa.mul?            is one `Reduction`
    tosa.rescale* -> tosa.add -> tosa.rescale? -> tosa.clamp?     is one `Add`
    tosa.matmul -> tosa.add of a constant row? -> tosa.rescale?   is one `MatMul`

`match(op)` starts at the op that computes, called the root, and examines the ops around it. Padding
and cropping in front of the root, and the ops after it, are part of the view when nothing else
uses them. A view refers to values and ops of the IR. It is valid only during the pass that asked
for it.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from mlir import ir
from mlir.dialects import tosa
from msgspec import Struct

from forebay.ir.epilogue import Epilogue, Rescale, follow_epilogue, only_user, rescale_of
from forebay.ir.tosa_constants import (
    UnsupportedFormError,
    elements_of,
    i64_array,
    matches,
    zero_point,
)
from forebay.ir.window import Window, look_through

__all__ = [
    "Add",
    "AveragePool",
    "Convolution",
    "Depthwise",
    "Fused",
    "MatMul",
    "MaxPool",
    "Reduction",
    "SingleOp",
    "TransposeConvolution",
    "UnsupportedFormError",
    "element_type",
    "is_int8",
    "is_root",
    "match",
    "shape_of",
    "single_op",
]


class Fused(Struct, frozen=True, eq=False, weakref=True):
    """A whole operator: `ops` are in order of execution, and the last one gives the result."""

    ops: tuple[ir.OpView, ...]
    source: ir.Value
    epilogue: Epilogue

    @property
    def result(self) -> ir.Value:
        """Return the result of the last op."""
        return self.ops[-1].operation.results[0]


class _Weighted(Fused, frozen=True, eq=False):
    weights: ir.Value
    bias: ir.Value
    window: Window
    source_zero_point: int
    weights_zero_point: int


class Convolution(_Weighted, frozen=True, eq=False):
    """A convolution: source NHWC, weights OHWI.

    A fully connected layer is a 1x1 convolution on images of 1x1.
    """

    @property
    def is_fully_connected(self) -> bool:
        """Return whether every vector along the channels is multiplied by the same matrix."""
        _, height, width, _ = shape_of(self.source)
        return (height, width) == (1, 1) and self.window == Window((1, 1))


class Depthwise(_Weighted, frozen=True, eq=False):
    """A depthwise convolution: source NHWC, weights HWCM, output channel `c * M + m`."""


class TransposeConvolution(_Weighted, frozen=True, eq=False):
    """A transposed convolution: source NHWC, weights OHWI.

    `window.before` and `window.after` pad the output.
    """


class MatMul(Fused, frozen=True, eq=False):
    """A matrix product: source NHC times other NCW; `bias` is a constant row `11W` of int32."""

    other: ir.Value
    source_zero_point: int
    other_zero_point: int
    bias: ir.Value | None = None


class AveragePool(Fused, frozen=True, eq=False):
    """An average pool: source NHWC; padding does not count as elements of the mean."""

    window: Window
    source_zero_point: int
    output_zero_point: int


class MaxPool(Fused, frozen=True, eq=False):
    """A max pool: source NHWC."""

    window: Window
    ignores_nan: bool


class Reduction(Fused, frozen=True, eq=False):
    """A sum or maximum of the source over `axes`, whose size becomes 1.

    The `prologue`, if there is one, rescales the source first.
    """

    axes: tuple[int, ...]
    is_sum: bool
    ignores_nan: bool
    prologue: Rescale | None


class Add(Fused, frozen=True, eq=False):
    """The sum of `source` and `other`, each after its own rescales (possibly none)."""

    other: ir.Value
    source_rescales: tuple[Rescale, ...]
    other_rescales: tuple[Rescale, ...]


class SingleOp(Fused, frozen=True, eq=False):
    """Any other op with one tensor as result, alone; `source` is its first operand."""

    @property
    def op(self) -> ir.OpView:
        """Return the op, with its operands and attributes."""
        return self.ops[0]


def single_op(op: ir.OpView) -> SingleOp | None:
    """Return the view of an op alone; None for an op without operands or with other results."""
    operands, results = op.operation.operands, op.operation.results
    if not len(operands) or len(results) != 1:
        return None
    if not isinstance(results[0].type, ir.RankedTensorType):
        return None
    return SingleOp((op,), operands[0], Epilogue())


def is_root(op: ir.OpView) -> bool:
    """Return whether the op is of a kind that `match` accepts as a root.

    The addition of the bias of a matrix product is none.
    """
    is_bias = isinstance(op, tosa.AddOp) and _bias_of_product(op) is not None
    return type(op) in _MATCHERS and not is_bias


def match(op: ir.OpView) -> Fused | None:
    """Return the view whose root is the op, or None for every other op.

    Raises `UnsupportedFormError` when the op is of a supported kind in an unsupported form.
    """
    matcher = _MATCHERS.get(type(op))
    return None if matcher is None else matcher(op)


def shape_of(value: ir.Value) -> tuple[int, ...]:
    """Return the shape of a tensor value."""
    return tuple(ir.RankedTensorType(value.type).shape)


def element_type(value: ir.Value) -> ir.Type:
    """Return the element type of a tensor value."""
    return ir.RankedTensorType(value.type).element_type


def is_int8(value: ir.Value) -> bool:
    """Return whether the elements of a tensor value are signless 8-bit integers."""
    return element_type(value) == ir.IntegerType.get_signless(8)


def _match_convolution(op: Any) -> Fused:
    _expect_types(op, op.input, op.weight, op.bias)
    kernel = shape_of(op.weight)[1:3]
    return _weighted(Convolution, op, Window.of(op, kernel, dilation=i64_array(op.dilation)))


def _match_depthwise(op: Any) -> Fused:
    _expect_types(op, op.input, op.weight, op.bias)
    kernel = shape_of(op.weight)[:2]
    return _weighted(Depthwise, op, Window.of(op, kernel, dilation=i64_array(op.dilation)))


def _match_transpose_convolution(op: Any) -> Fused:
    _expect_types(op, op.input, op.weight, op.bias)
    top, bottom, left, right = i64_array(op.out_pad)
    kernel = shape_of(op.weight)[1:3]
    window = Window(kernel, i64_array(op.stride), (1, 1), (top, left), (bottom, right))
    epilogue, tail = follow_epilogue(op)
    return TransposeConvolution(
        (op, *tail), op.input, epilogue, op.weight, op.bias, window, *_zero_points(op)
    )


def _weighted(kind: type[Convolution] | type[Depthwise], op: Any, window: Window) -> Fused:
    source_zp, weights_zp = _zero_points(op)
    view = look_through(op.input, window, padding=source_zp)
    epilogue, tail = follow_epilogue(op)
    ops = (*view.absorbed, op, *tail)
    return kind(ops, view.source, epilogue, op.weight, op.bias, view.window, source_zp, weights_zp)


def _match_matmul(op: Any) -> Fused:
    _expect_types(op, op.a, op.b)
    added, user = None, only_user(op)
    if isinstance(user, tosa.AddOp):
        added = _bias_of_product(user)
    ops = (op,) if added is None or user is None else (op, user)
    epilogue, tail = follow_epilogue(ops[-1])
    zero_points = (zero_point(op, op.a_zp, "a_zp"), zero_point(op, op.b_zp, "b_zp"))
    return MatMul((*ops, *tail), op.a, epilogue, op.b, *zero_points, added)


def _bias_of_product(op: tosa.AddOp) -> ir.Value | None:
    """Return the constant row that the op adds to the int32 sums of a matrix product, or None."""
    for sums, row in ((op.input1, op.input2), (op.input2, op.input1)):
        if isinstance(sums.owner, tosa.MatMulOp) and only_user(sums.owner) is not None:
            is_int32 = element_type(sums) == ir.IntegerType.get_signless(32)
            is_row = shape_of(row) == (1, 1, shape_of(sums)[-1])
            if is_int32 and is_row and elements_of(row) is not None:
                return row
    return None


def _match_average_pool(op: Any) -> Fused:
    _expect_types(op, op.input)
    view = look_through(op.input, Window.of(op, i64_array(op.kernel)))
    epilogue, tail = follow_epilogue(op)
    zero_points = (
        zero_point(op, op.input_zp, "input_zp"),
        zero_point(op, op.output_zp, "output_zp"),
    )
    ops = (*view.absorbed, op, *tail)
    return AveragePool(ops, view.source, epilogue, view.window, *zero_points)


def _match_max_pool(op: Any) -> Fused:
    _expect_types(op, op.input)
    view = look_through(op.input, Window.of(op, i64_array(op.kernel)))
    epilogue, tail = follow_epilogue(op)
    ops = (*view.absorbed, op, *tail)
    return MaxPool(ops, view.source, epilogue, view.window, _ignores_nan(op))


def _match_reduction(op: Any) -> Fused | None:
    """Return the view of a chain of equal reductions from its first op; other ops match nothing.

    Only f32 and integers match: no operator of a quantised network accumulates in another type.
    """
    element = ir.RankedTensorType(op.input.type).element_type
    if _continues_chain(op) or not isinstance(element, ir.IntegerType | ir.F32Type):
        return None
    _expect_static(op, op.input)
    chain = [op]
    while type(following := only_user(chain[-1])) is type(op) and _continues_chain(following):
        chain.append(following)
    is_sum = isinstance(op, tosa.ReduceSumOp)
    producer = op.input.owner
    head: tuple[ir.OpView, ...] = ()
    source, prologue = op.input, None
    if isinstance(producer, tosa.RescaleOp) and only_user(producer) is not None:
        rescale = rescale_of(producer)
        if not rescale.per_channel:
            head, source, prologue = (producer,), producer.input, rescale
    epilogue, tail = follow_epilogue(chain[-1])
    axes = tuple(sorted(ir.IntegerAttr(link.axis).value for link in chain))
    ignores_nan = not is_sum and _ignores_nan(op)
    return Reduction((*head, *chain, *tail), source, epilogue, axes, is_sum, ignores_nan, prologue)


def _match_add(op: Any) -> Fused | None:
    """Return the view, or None where the factors of a rescale are not constant.

    Without constant factors the scales of the sum are unknown. An addition of a bias belongs to its
    matrix product.
    """
    if not all(ir.RankedTensorType(v.type).has_static_shape for v in (op.input1, op.input2)):
        return None
    if _bias_of_product(op) is not None:
        return None
    try:
        source, source_rescales = _rescales_of(op.input1)
        other, other_rescales = _rescales_of(op.input2)
        epilogue, tail = follow_epilogue(op)
    except UnsupportedFormError:
        return None
    ops = (*(r.op for r in source_rescales), *(r.op for r in other_rescales), op, *tail)
    return Add(ops, source, epilogue, other, source_rescales, other_rescales)


def _rescales_of(value: ir.Value) -> tuple[ir.Value, tuple[Rescale, ...]]:
    """Return the value before a chain of widening rescales, and the chain.

    Each rescale in the chain has exactly one use.
    """
    chain: list[Rescale] = []
    while isinstance(producer := value.owner, tosa.RescaleOp) and _widens(producer):
        if only_user(producer) is None:
            break
        chain.insert(0, rescale_of(producer))
        value = producer.input
    return value, tuple(chain)


def _widens(op: tosa.RescaleOp) -> bool:
    """Return whether the result is i32, the type in which sums are computed."""
    return element_type(op.output) == ir.IntegerType.get_signless(32)


def _continues_chain(op: Any) -> bool:
    before = op.input.owner
    return (
        type(before) is type(op)
        and only_user(before) is not None
        and before.axis != op.axis
        and op.attributes.get("nan_mode") == before.attributes.get("nan_mode")
    )


def _zero_points(op: Any) -> tuple[int, int]:
    return zero_point(op, op.input_zp, "input_zp"), zero_point(op, op.weight_zp, "weight_zp")


def _ignores_nan(op: Any) -> bool:
    return not matches(op.nan_mode, "#tosa.nan_mode<PROPAGATE>")


def _expect_types(op: ir.OpView, source: ir.Value, *others: ir.Value) -> None:
    _expect_static(op, source, *others)
    element = ir.RankedTensorType(source.type).element_type
    bytes_, words = ir.IntegerType.get_signless(8), ir.IntegerType.get_signless(32)
    if element == bytes_:
        allowed = {bytes_, words}
    elif isinstance(element, ir.F32Type):
        allowed = {element}
    else:
        allowed = set[ir.Type]()
    elements = [ir.RankedTensorType(v.type).element_type for v in others]
    if element not in allowed or any(e not in allowed for e in elements):
        found = ", ".join(str(e) for e in (element, *elements))
        raise UnsupportedFormError(
            op, f"on ({found}) cannot be lowered for the host; use i8 (with an i32 bias) or f32"
        )


def _expect_static(op: ir.OpView, *values: ir.Value) -> None:
    for value in (*values, op.operation.results[0]):
        if not ir.RankedTensorType(value.type).has_static_shape:
            raise UnsupportedFormError(
                op, f"on {value.type} needs a static shape; give the input's shape on import"
            )


_MATCHERS: dict[type[ir.OpView], Callable[[Any], Fused | None]] = {
    tosa.Conv2DOp: _match_convolution,
    tosa.DepthwiseConv2DOp: _match_depthwise,
    tosa.TransposeConv2DOp: _match_transpose_convolution,
    tosa.MatMulOp: _match_matmul,
    tosa.AvgPool2dOp: _match_average_pool,
    tosa.MaxPool2dOp: _match_max_pool,
    tosa.AddOp: _match_add,
    tosa.ReduceSumOp: _match_reduction,
    tosa.ReduceMaxOp: _match_reduction,
}
