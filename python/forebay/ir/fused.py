"""One view of operators for all targets: op, rescale and clamp as one value.

    tosa.pad? -> tosa.conv2d -> tosa.rescale? -> tosa.clamp?      is one `Convolution`
    tosa.rescale? -> tosa.reduce_sum, ... -> tosa.mul?            is one `Reduction`
    tosa.rescale* -> tosa.add -> tosa.rescale? -> tosa.clamp?     is one `Add`

`match(op)` looks from the op that computes, called the root, over what surrounds it. Padding and
cropping in front of it, and what follows it, are part of the view when nothing else uses them.
Values and ops are those of the IR: a view lives no longer than the pass that asked for it.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from mlir import ir
from mlir.dialects import tosa

from forebay.ir.epilogue import Epilogue, Rescale, follow_epilogue, only_user, rescale_of
from forebay.ir.tosa_constants import UnsupportedFormError, i64_array, matches, zero_point
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
    "TransposeConvolution",
    "UnsupportedFormError",
    "element_type",
    "is_int8",
    "is_root",
    "match",
    "shape_of",
]


@dataclass(frozen=True, eq=False)
class Fused:
    """An operator as a whole: `ops` in order of execution, the last of which gives its result."""

    ops: tuple[ir.OpView, ...]
    source: ir.Value
    epilogue: Epilogue

    @property
    def result(self) -> ir.Value:
        """The value that the last op gives."""
        return self.ops[-1].operation.results[0]


@dataclass(frozen=True, eq=False)
class _Weighted(Fused):
    weights: ir.Value
    bias: ir.Value
    window: Window
    source_zero_point: int
    weights_zero_point: int


@dataclass(frozen=True, eq=False)
class Convolution(_Weighted):
    """Source NHWC, weights OHWI; a fully connected layer is one of 1x1 on images of 1x1."""

    @property
    def is_fully_connected(self) -> bool:
        """Whether every vector along the channels is multiplied by one and the same matrix."""
        _, height, width, _ = shape_of(self.source)
        return (height, width) == (1, 1) and self.window == Window((1, 1))


@dataclass(frozen=True, eq=False)
class Depthwise(_Weighted):
    """Source NHWC, weights HWCM; output channel `c * M + m`."""


@dataclass(frozen=True, eq=False)
class TransposeConvolution(_Weighted):
    """Source NHWC, weights OHWI; `window.before` and `after` pad the output."""


@dataclass(frozen=True, eq=False)
class MatMul(Fused):
    """Source NHC times other NCW."""

    other: ir.Value
    source_zero_point: int
    other_zero_point: int


@dataclass(frozen=True, eq=False)
class AveragePool(Fused):
    """Source NHWC; padding is not counted."""

    window: Window
    source_zero_point: int
    output_zero_point: int


@dataclass(frozen=True, eq=False)
class MaxPool(Fused):
    """Source NHWC."""

    window: Window
    ignores_nan: bool


@dataclass(frozen=True, eq=False)
class Reduction(Fused):
    """Sum or maximum over `axes`, which stay with size 1, of the source after the `prologue`."""

    axes: tuple[int, ...]
    is_sum: bool
    ignores_nan: bool
    prologue: Rescale | None


@dataclass(frozen=True, eq=False)
class Add(Fused):
    """The sum of `source` and `other`, each after its own rescales, of which there may be none."""

    other: ir.Value
    source_rescales: tuple[Rescale, ...]
    other_rescales: tuple[Rescale, ...]


def is_root(op: ir.OpView) -> bool:
    """Whether `match` may find a view from the op."""
    return type(op) in _MATCHERS


def match(op: ir.OpView) -> Fused | None:
    """The view from its root; None for every other op.

    Raises `UnsupportedFormError` when the root's kind is one of these, but its form is not.
    """
    matcher = _MATCHERS.get(type(op))
    return None if matcher is None else matcher(op)


def shape_of(value: ir.Value) -> tuple[int, ...]:
    """The shape of a tensor value."""
    return tuple(ir.RankedTensorType(value.type).shape)


def element_type(value: ir.Value) -> ir.Type:
    """The element type of a tensor value."""
    return ir.RankedTensorType(value.type).element_type


def is_int8(value: ir.Value) -> bool:
    """Whether the elements of a tensor value are signless bytes."""
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
    epilogue, tail = follow_epilogue(op)
    zero_points = (zero_point(op, op.a_zp, "a_zp"), zero_point(op, op.b_zp, "b_zp"))
    return MatMul((op, *tail), op.a, epilogue, op.b, *zero_points)


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
    """From the first of a chain of equal reductions; the others of the chain match nothing.

    Of f32 and integers; what accumulates in another type is no operator of a quantised network.
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
    """None where a rescale's factors are not constant: there is no sum of known scales then."""
    if not all(ir.RankedTensorType(v.type).has_static_shape for v in (op.input1, op.input2)):
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
    """What a chain of rescales begins with, and the chain, where each has the only use."""
    chain: list[Rescale] = []
    while isinstance(producer := value.owner, tosa.RescaleOp) and _widens(producer):
        if only_user(producer) is None:
            break
        chain.insert(0, rescale_of(producer))
        value = producer.input
    return value, tuple(chain)


def _widens(op: tosa.RescaleOp) -> bool:
    """Whether the result is the 32 bits that sums are formed in."""
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
