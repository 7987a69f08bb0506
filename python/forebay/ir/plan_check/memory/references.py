"""References of memrefs to bytes of buffers in rows, and the effect of view ops on them."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple

from mlir import ir
from mlir.dialects import memref

from forebay.ir.attributes import entries_of, integers_of
from forebay.ir.plan_check.integers.arithmetic import Arithmetic
from forebay.ir.plan_check.integers.numbers import (
    ZERO,
    LinearForm,
    Numbers,
    anything,
    number,
    shifted,
)
from forebay.ir.refused import RefusedError

OVER = -1
"""The instance number of a buffer that an earlier iteration allocated."""

PREVIOUS = -2
"""The run of an operation that the previous iteration started."""

CALLER_BUFFER = -1
"""The buffer number of memory of the caller."""

_DYNAMIC = ir.ShapedType.get_dynamic_size()
_DYNAMIC_OFFSET = ir.ShapedType.get_dynamic_stride_or_offset()


class Reference(NamedTuple):
    """A buffer that a value may refer to, the instance of it (`instance`), and its bytes.

    Element `(i0, i1, ...)` begins at byte `begin + i0 * strides[0] + ...` of the buffer, which has
    `size` bytes. `memref.reinterpret_cast` counts from `base`.
    """

    buffer: int
    instance: int
    size: int
    begin: LinearForm
    shape: tuple[LinearForm, ...]
    strides: tuple[LinearForm, ...]
    element: int
    base: LinearForm

    def next_iteration(self, youngest: int, unknowns: int, numbers: Numbers) -> Reference:
        """Return the reference for the next iteration; instances from `youngest` on become old."""
        reference = self.forgotten(unknowns, numbers)
        return reference._replace(instance=OVER) if self.instance >= youngest else reference

    def forgotten(self, unknowns: int, numbers: Numbers, but: int = -1) -> Reference:
        """Return the reference after unknowns from `unknowns` on, except `but`, got new values."""
        return self._each(lambda form: numbers.forget(form, unknowns, but))

    def shifted(self, unknown: int, by: int) -> Reference:
        """Return the reference after the unknown was replaced by itself plus `by`."""
        return self._each(lambda form: shifted(form, unknown, by))

    def _each(self, of: Callable[[LinearForm], LinearForm]) -> Reference:
        return self._replace(
            begin=of(self.begin),
            shape=tuple(map(of, self.shape)),
            strides=tuple(map(of, self.strides)),
            base=of(self.base),
        )

    def at(self, indices: Sequence[LinearForm], numbers: Numbers) -> Reference:
        """Return the reference to one element."""
        begin = self.begin
        for index, stride in zip(indices, self.strides, strict=True):
            begin = begin.plus(numbers.product(index, stride))
        return self._replace(begin=begin, shape=(), strides=())

    def box(self, spans: Sequence[range], numbers: Numbers) -> Reference:
        """Return the reference to the elements with indices in `spans`, one per dimension."""
        first = self.at([number(span.start) for span in spans], numbers)
        return first._replace(shape=tuple(number(len(s)) for s in spans), strides=self.strides)


References = frozenset[Reference]


def whole_buffer(buffer: int, instance: int, type_: ir.MemRefType, size: int) -> Reference:
    """Return a reference to all of a buffer of static shape and without gaps."""
    element = _element_bytes(type_)
    shape = tuple(map(number, type_.shape))
    return Reference(
        buffer, instance, size, ZERO, shape, _row_major(type_.shape, element), element, ZERO
    )


def layout_of(type_: ir.MemRefType) -> tuple[tuple[LinearForm, ...], tuple[LinearForm, ...]]:
    """Return sizes and strides of a memref of static shape and without gaps."""
    return tuple(map(number, type_.shape)), _row_major(type_.shape, _element_bytes(type_))


def of_caller(number_: int, type_: ir.MemRefType) -> Reference:
    """Return a reference to memory of the caller, with the layout of its type."""
    element = _element_bytes(type_)
    return whole_buffer(CALLER_BUFFER, number_, type_, math.prod(type_.shape) * element)


def _element_bytes(type_: ir.MemRefType) -> int:
    """Return the whole bytes of an element; 1 for other element types."""
    element = type_.element_type
    return -(-element.width // 8) if isinstance(element, ir.IntegerType | ir.FloatType) else 1


def is_whole(reference: Reference) -> bool:
    """Return whether the reference shows all bytes of its buffer, without gaps."""
    sizes = [size.constant for size in reference.shape]
    if reference.begin.constant != 0 or None in sizes:
        return False
    is_dense = reference.strides == _row_major([int(n or 0) for n in sizes], reference.element)
    return is_dense and math.prod(int(n or 0) for n in sizes) * reference.element == reference.size


def span_of(reference: Reference, run: Arithmetic) -> tuple[LinearForm, LinearForm] | None:
    """Return bounds of the bytes, `[first, end)`, or None if there is no element."""
    begin, end = reference.begin, reference.begin.plus(number(reference.element))
    for size, stride in zip(reference.shape, reference.strides, strict=True):
        if size.constant == 0:
            return None
        reach = run.numbers.product(size.plus(number(-1)), stride)
        if run.numbers.lower(stride) >= 0:
            end = end.plus(reach)
        elif run.numbers.upper(stride) <= 0:
            begin = begin.plus(reach)
        else:
            begin, end = begin.plus(reach.times(-1)), end.plus(reach)
    return begin, end


def is_known_view(op: ir.OpView) -> bool:
    """Return whether the op makes a view of its first operand by a rule of this module."""
    return type(op) in _RULES


def viewed(op: Any, reference: Reference, run: Arithmetic) -> Reference:
    """Return the reference of a view op's result, given `reference` of its source.

    An op without a rule has the layout that its type gives, else any bytes of the buffer.
    """
    rule = _RULES.get(type(op), _typed)
    return rule(op, reference, run)


def _typed(op: ir.OpView, source: Reference, _: Arithmetic) -> Reference:
    """Return what the result's type says: the layout counts from the base of the buffer.

    A view whose type does not give the layout may show any bytes of the buffer.
    """
    type_ = ir.MemRefType(op.results[0].type)
    strides, offset = type_.get_strides_and_offset()
    is_known = _DYNAMIC not in type_.shape and _DYNAMIC_OFFSET not in (offset, *strides)
    if not is_known or _element_bytes(type_) != source.element:
        return _any_bytes(type_, source)
    return source._replace(
        begin=source.base.plus(number(offset * source.element)),
        shape=tuple(map(number, type_.shape)),
        strides=tuple(number(stride * source.element) for stride in strides),
    )


def _any_bytes(type_: ir.MemRefType, source: Reference) -> Reference:
    """Return a reference whose elements may each be anywhere in the buffer of the source."""
    element = _element_bytes(type_)
    somewhere = anything(0, max(0, source.size - element))
    return source._replace(
        begin=somewhere,
        shape=tuple(anything(0) if n == _DYNAMIC else number(n) for n in type_.shape),
        strides=(ZERO,) * type_.rank,
        element=element,
        base=somewhere,
    )


def _same(_: ir.OpView, source: Reference, __: Arithmetic) -> Reference:
    return source


def metadata(op: memref.ExtractStridedMetadataOp, reference: Reference) -> list[LinearForm | None]:
    """Return offset, sizes and strides, in elements."""
    ahead = reference.begin.minus(reference.base)
    found = [ahead, *reference.strides]
    offset, *strides = (_in_elements(form, reference.element) for form in found)
    return [offset, *reference.shape, *strides]


def _in_elements(form: LinearForm, element: int) -> LinearForm | None:
    if not form.is_multiple_of(element):
        return None
    terms = tuple((unknown, factor // element) for unknown, factor in form.terms)
    return LinearForm(
        terms, form.low // element, form.high // element, form.step // element, form.is_data
    )


def _mixed(
    static: ir.DenseI64ArrayAttr, dynamic: Sequence[ir.Value], run: Arithmetic
) -> list[LinearForm]:
    """Return the numbers of a mixed static and dynamic list."""
    return _given(integers_of(static), dynamic, run)


def _given(static: Sequence[int], dynamic: Sequence[ir.Value], run: Arithmetic) -> list[LinearForm]:
    operands = iter(dynamic)
    return [run.of(next(operands)) if n == _DYNAMIC else number(n) for n in static]


def _part(op: memref.SubViewOp, source: Reference, run: Arithmetic) -> Reference:
    offsets = _mixed(op.static_offsets, op.offsets, run)
    sizes = _mixed(op.static_sizes, op.sizes, run)
    steps = _mixed(op.static_strides, op.strides, run)
    begin = source.begin
    for offset, stride in zip(offsets, source.strides, strict=True):
        begin = begin.plus(run.numbers.product(offset, stride))
    strides = [run.numbers.product(*pair) for pair in zip(steps, source.strides, strict=True)]
    kept = _kept(sizes, strides, ir.MemRefType(op.result.type), source.element)
    return source._replace(
        begin=begin,
        shape=tuple(sizes[axis] for axis in kept),
        strides=tuple(strides[axis] for axis in kept),
    )


def _kept(
    sizes: Sequence[LinearForm], strides: Sequence[LinearForm], type_: ir.MemRefType, element: int
) -> list[int]:
    """Return the axes that a rank-reduced result keeps; the dropped ones have size 1."""
    wanted = list(zip(type_.shape, type_.get_strides_and_offset()[0], strict=True))
    kept: list[int] = []
    for axis, (size, stride) in enumerate(zip(sizes, strides, strict=True)):
        left, missing = len(sizes) - axis, len(wanted) - len(kept)
        if missing and (left == missing or _fits(size, stride, *wanted[len(kept)], element)):
            kept.append(axis)
    return kept


def _fits(size: LinearForm, stride: LinearForm, wanted: int, step: int, element: int) -> bool:
    if size.constant != (None if wanted == _DYNAMIC else wanted):
        return False
    known = stride.constant
    return known is None or step == _DYNAMIC or known == step * element


def _of_bytes(op: memref.ViewOp, source: Reference, run: Arithmetic) -> Reference:
    type_ = ir.MemRefType(op.result.type)
    element = _element_bytes(type_)
    begin = source.begin.plus(run.of(op.byte_shift))
    shape = _given(type_.shape, op.sizes, run)
    return source._replace(
        begin=begin,
        shape=tuple(shape),
        strides=_strides(shape, number(element), run),
        element=element,
        base=begin,
    )


def _reinterpreted(op: memref.ReinterpretCastOp, source: Reference, run: Arithmetic) -> Reference:
    offset = _mixed(op.static_offsets, op.offsets, run)[0]
    strides = _mixed(op.static_strides, op.strides, run)
    return source._replace(
        begin=source.base.plus(offset.times(source.element)),
        shape=tuple(_mixed(op.static_sizes, op.sizes, run)),
        strides=tuple(stride.times(source.element) for stride in strides),
    )


def _cast(op: memref.CastOp, source: Reference, _: Arithmetic) -> Reference:
    """Return the reference with the static sizes of the result's type."""
    type_ = op.result.type
    if not isinstance(type_, ir.MemRefType):
        return source
    pairs = zip(source.shape, type_.shape, strict=True)
    return source._replace(shape=tuple(f if n == _DYNAMIC else number(n) for f, n in pairs))


def _collapsed(op: memref.CollapseShapeOp, source: Reference, run: Arithmetic) -> Reference:
    shape: list[LinearForm] = []
    strides: list[LinearForm] = []
    for group in _groups(op.reassociation):
        size = number(1)
        for axis in group:
            size = run.numbers.product(size, source.shape[axis])
        inner = [axis for axis in group if source.shape[axis].constant != 1] or group
        shape.append(size)
        strides.append(source.strides[inner[-1]])
    return source._replace(shape=tuple(shape), strides=tuple(strides))


def _expanded(op: memref.ExpandShapeOp, source: Reference, run: Arithmetic) -> Reference:
    shape = _mixed(op.static_output_shape, op.output_shape, run)
    # A memref of rank 0 has one element and no group, so the result's sizes are all 1.
    strides = [] if source.shape else _strides(shape, number(source.element), run)
    for group, stride in zip(_groups(op.reassociation), source.strides, strict=True):
        strides += _strides([shape[axis] for axis in group], stride, run)
    return source._replace(shape=tuple(shape), strides=tuple(strides))


def _groups(reassociation: ir.ArrayAttr) -> Iterator[list[int]]:
    for group in entries_of(reassociation):
        yield [ir.IntegerAttr(axis).value for axis in entries_of(ir.ArrayAttr(group))]


def _transposed(op: memref.TransposeOp, source: Reference, _: Arithmetic) -> Reference:
    order = [ir.AffineDimExpr(expr).position for expr in op.permutation.value.results]
    return source._replace(
        shape=tuple(source.shape[axis] for axis in order),
        strides=tuple(source.strides[axis] for axis in order),
    )


def _reshaped(op: memref.ReshapeOp, source: Reference, _: Arithmetic) -> Reference:
    type_ = op.result.type
    if not isinstance(type_, ir.MemRefType) or not type_.has_static_shape:
        raise RefusedError(
            op.location,
            f"the plan cannot be checked, since '{op.operation.name}' makes {type_}, whose size "
            "is unknown",
        )
    shape = tuple(map(number, type_.shape))
    return source._replace(shape=shape, strides=_row_major(type_.shape, source.element))


def _base(_: memref.ExtractStridedMetadataOp, source: Reference, __: Arithmetic) -> Reference:
    return source._replace(begin=source.base, shape=(), strides=())


def _strides(
    shape: Sequence[LinearForm], inner: LinearForm, run: Arithmetic
) -> tuple[LinearForm, ...]:
    strides: list[LinearForm] = []
    for size in reversed(shape):
        strides.append(inner)
        inner = run.numbers.product(inner, size)
    return tuple(reversed(strides))


def _row_major(shape: Sequence[int], element: int) -> tuple[LinearForm, ...]:
    strides: list[LinearForm] = []
    for size in reversed(shape):
        strides.append(number(element))
        element *= size
    return tuple(reversed(strides))


_RULES: dict[type, Callable[[Any, Reference, Arithmetic], Reference]] = {
    memref.AssumeAlignmentOp: _same,
    memref.CastOp: _cast,
    memref.CollapseShapeOp: _collapsed,
    memref.ExpandShapeOp: _expanded,
    memref.ExtractStridedMetadataOp: _base,
    memref.MemorySpaceCastOp: _same,
    memref.ReinterpretCastOp: _reinterpreted,
    memref.ReshapeOp: _reshaped,
    memref.SubViewOp: _part,
    memref.TransposeOp: _transposed,
    memref.ViewOp: _of_bytes,
}
