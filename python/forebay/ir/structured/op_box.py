"""Run any op with a loop nest on a box of its domain.

    linalg.add ins(%a, %b) outs(%y) : 8x16          rows 2 to 4 of it:
                                                    linalg.add ins(%a[2:5], %b[2:5]) outs(%y[2:5])

An `accel.reduce` keeps its whole operands, so that its windows are clamped where the operands end.
Operands of other ops become slices; of a memref whose rows lie anywhere,
they become a view of one row. An op whose reduction is cut adds to the elements that earlier
boxes left in its output, as structured ops of linalg do.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from mlir import ir
from mlir.dialects import arith, memref, tensor, tosa
from msgspec import Struct

from forebay.dialects import linalg
from forebay.dialects.accel import ReduceOp
from forebay.dialects.memref_pool import CopyOp
from forebay.ir.interfaces import destinations_of
from forebay.ir.nested import defining_op, ops_of
from forebay.ir.refused import RefusedError
from forebay.ir.rows.indices import make_row
from forebay.ir.rows.layout import is_rows, rows_of
from forebay.ir.softmax import ATTRIBUTE, softmax_of
from forebay.ir.structured.affine_expression import affine_of
from forebay.ir.structured.reduce_box import on_box
from forebay.regions import Affine

Start = int | ir.Value
"""The first position of a box in a dimension: a number, or an `index`."""

_DYNAMIC = ir.ShapedType.get_dynamic_stride_or_offset()


def run_on_box(
    op: ir.OpView, starts: Sequence[Start], sizes: Sequence[int], outputs: Sequence[ir.Value]
) -> list[ir.Value]:
    """Create the op on a box of its loop nest's domain at the insertion point; `op` stays.

    Dimensions are those of `loop_nest_of(op)`. `outputs` are whole destinations in place of the
    op's own. Returns, for tensors, the outputs with the elements of the box replaced.

    Raises `RefusedError` for an op without a loop nest, for an index with a quotient, and for a box
    that has a part of the rows of a softmax or of the reduction of an `accel.reduce`.
    """
    if len(starts) != len(sizes):
        raise ValueError(f"a box of {len(starts)} starts and {len(sizes)} sizes")
    if isinstance(op, ReduceOp):
        return _reduce_on_box(op, starts, sizes, outputs)
    if isinstance(op, (memref.CopyOp, CopyOp)):
        return _copy_on_box(op, starts, sizes, outputs)
    if isinstance(op, tosa.CustomOp) and softmax_of(op) is not None:
        return _softmax_on_box(op, starts, sizes, outputs)
    maps = linalg.get_indexing_maps(op) if op.operation.name.startswith("linalg.") else None
    if maps is None:
        raise RefusedError(op.location, f"{op.operation.name} has no loop nest to run on a box of")
    return _structured_on_box(op, [ir.AffineMapAttr(m).value for m in maps], starts, sizes, outputs)


class _Slice(Struct, frozen=True, eq=False):
    """Offsets and sizes of the elements of an operand that a box accesses."""

    offsets: tuple[Start, ...]
    sizes: tuple[int, ...]

    @property
    def static_offsets(self) -> list[int]:
        return [o if isinstance(o, int) else _DYNAMIC for o in self.offsets]

    @property
    def dynamic_offsets(self) -> list[ir.Value]:
        return [o for o in self.offsets if isinstance(o, ir.Value)]

    def of(self, value: ir.Value) -> ir.Value:
        """Create the slice of a tensor, or the view of a memref."""
        ones = [1] * len(self.sizes)
        if isinstance(value.type, ir.MemRefType):
            whole = _slice_of_free_rows(value)
            if whole is not None:
                return self._of_row(*whole)
            return memref.SubViewOp(
                self._view_type(value.type),
                *(value, self.dynamic_offsets, [], []),
                *(self.static_offsets, self.sizes, ones),
            ).result
        return tensor.ExtractSliceOp(
            self.type_of(value),
            *(value, self.dynamic_offsets, [], []),
            *(self.static_offsets, self.sizes, ones),
        ).result

    def _of_row(self, source: ir.Value, first: Sequence[int]) -> ir.Value:
        """Create the view of one row of a memref whose rows lie anywhere, or of a part of it.

        It has the leading dimensions of the whole. `first` are offsets from the source.
        """
        rows = rows_of(source.type)
        assert rows is not None
        offsets = [
            _sum(more, [(start, 1)]) if isinstance(start, ir.Value) else start + more
            for start, more in zip(self.offsets, first, strict=True)
        ]
        if any(size != 1 for size in self.sizes[: rows.dims]):
            raise ValueError("a box has several rows that lie anywhere")
        row = make_row(source, offsets[: rows.dims])
        shape = [1] * rows.dims + list(rows.row_shape)
        row_type = ir.MemRefType(row.type)
        type_ = ir.MemRefType.get(shape, row_type.element_type, memory_space=row_type.memory_space)
        groups = [list(range(rows.dims + 1)), *([d] for d in range(rows.dims + 1, len(shape)))]
        expanded = memref.ExpandShapeOp(type_, row, groups, [], shape).result
        part = _Slice((*[0] * rows.dims, *offsets[rows.dims :]), self.sizes)
        return expanded if list(part.sizes) == shape else part.of(expanded)

    def type_of(self, value: ir.Value) -> ir.RankedTensorType:
        """Return the type of the slice of a tensor."""
        return ir.RankedTensorType.get(self.sizes, ir.RankedTensorType(value.type).element_type)

    def put(self, part: ir.Value, whole: ir.Value) -> ir.Value:
        """Return the whole tensor with the slice replaced."""
        ones = [1] * len(self.sizes)
        return tensor.InsertSliceOp(
            part,
            *(whole, self.dynamic_offsets, [], []),
            *(self.static_offsets, self.sizes, ones),
        ).result

    def _view_type(self, source: ir.Type) -> ir.MemRefType:
        whole = ir.MemRefType(source)
        strides, offset = whole.get_strides_and_offset()
        if offset != _DYNAMIC and not self.dynamic_offsets:
            pairs = zip(self.static_offsets, strides, strict=True)
            offset += sum(start * stride for start, stride in pairs)
        else:
            offset = _DYNAMIC
        layout = ir.StridedLayoutAttr.get(offset, strides)
        space = whole.memory_space
        return ir.MemRefType.get(self.sizes, whole.element_type, layout, space)


def _slice_of_free_rows(value: ir.Value) -> tuple[ir.Value, tuple[int, ...]] | None:
    """Return a memref whose rows lie anywhere, of which a value is a slice, and its offsets.

    Returns None for all other memory.
    """
    if is_rows(value.type):
        return value, (0,) * ir.MemRefType(value.type).rank
    op = defining_op(value)
    if not isinstance(op, memref.SubViewOp):
        return None
    whole = _slice_of_free_rows(op.source)
    if whole is None:
        return None
    source, offsets = whole
    return source, tuple(a + b for a, b in zip(offsets, op.static_offsets, strict=True))


def _reduce_on_box(
    op: ReduceOp, starts: Sequence[Start], sizes: Sequence[int], outputs: Sequence[ir.Value]
) -> list[ir.Value]:
    parallel = len(op.parallel)
    if tuple(sizes[parallel:]) != tuple(op.reduction):
        raise RefusedError(
            op.location,
            "the box has a part of the reduction of accel.reduce, which needs accumulators; create "
            "it with on_box",
        )
    (output,) = outputs
    return list(on_box(op, starts, sizes, output).operation.results)


def _copy_on_box(
    op: Any, starts: Sequence[Start], sizes: Sequence[int], outputs: Sequence[ir.Value]
) -> list[ir.Value]:
    part, (output,) = _Slice(tuple(starts), tuple(sizes)), outputs
    source, target = part.of(op.source), part.of(output)
    if isinstance(output.type, ir.MemRefType):
        type(op)(*(() if isinstance(op, memref.CopyOp) else (None,)), source, target)
        return []
    copied = CopyOp(target.type, source, target).operation.results[0]
    return [part.put(copied, output)]


def _softmax_on_box(
    op: tosa.CustomOp, starts: Sequence[Start], sizes: Sequence[int], outputs: Sequence[ir.Value]
) -> list[ir.Value]:
    (value,), (output,) = op.operands, outputs
    *_, row = ir.RankedTensorType(value.type).shape
    if tuple(sizes[-2:]) != (row, row):
        raise RefusedError(
            op.location, f"the box has {sizes[-2]} of the {row} elements of the rows of a softmax"
        )
    part = _Slice(tuple(starts[:-1]), tuple(sizes[:-1]))
    created = tosa.CustomOp(
        [part.type_of(value)],
        *(op.operator_name, op.domain_name, op.implementation_attrs, [part.of(value)]),
        loc=op.location,
    )
    created.operation.attributes[ATTRIBUTE] = op.operation.attributes[ATTRIBUTE]
    return [part.put(created.operation.results[0], output)]


def _structured_on_box(
    op: ir.OpView,
    maps: Sequence[ir.AffineMap],
    starts: Sequence[Start],
    sizes: Sequence[int],
    outputs: Sequence[ir.Value],
) -> list[ir.Value]:
    written = sorted(destinations_of(op) or ())
    order = _domain_order(maps, written)
    if len(order) != len(sizes):
        raise ValueError(f"a box of {len(sizes)} dimensions in a domain of {len(order)}")
    placed = {dimension: (starts[n], sizes[n]) for n, dimension in enumerate(order)}
    values = list(op.operands)
    for number, output in zip(written, outputs, strict=True):
        values[number] = output
    slices = [
        _slice_of(op, map_, placed) if isinstance(value.type, ir.ShapedType) else None
        for value, map_ in zip(values, maps, strict=True)
    ]
    operands = [
        value if part is None else part.of(value)
        for value, part in zip(values, slices, strict=True)
    ]
    clone = op.operation.clone()
    for number, operand in enumerate(operands):
        clone.operands[number] = operand
    _shift_indices(clone, placed)
    _replace_maps(clone, op, maps, placed)
    results: list[ir.Value] = []
    for number, result in zip(written, clone.results, strict=False):
        part = slices[number]
        assert part is not None
        result.set_type(clone.operands[number].type)
        results.append(part.put(result, values[number]))
    return results


def _domain_order(maps: Sequence[ir.AffineMap], written: Sequence[int]) -> list[int]:
    """Return the op's dimensions in the order of `loop_nest_of`: those of its outputs first."""
    used = {d for number in written for e in maps[number].results for d in affine_of(e).dimensions}
    return [*sorted(used), *sorted(set(range(maps[0].n_dims)) - used)]


def _slice_of(op: ir.OpView, map_: ir.AffineMap, placed: dict[int, tuple[Start, int]]) -> _Slice:
    expressions = [affine_of(e) for e in map_.results]
    if not all(e.is_linear for e in expressions):
        raise RefusedError(
            op.location,
            f"{op.operation.name} has an index with a quotient, '{map_}'; no slice of "
            "an operand has the elements of a box",
        )
    return _Slice(
        tuple(_smallest(e, placed) for e in expressions),
        tuple(
            1 + sum(abs(factor) * (placed[d][1] - 1) for d, factor in e.terms) for e in expressions
        ),
    )


def _smallest(expression: Affine, placed: dict[int, tuple[Start, int]]) -> Start:
    """Return the smallest value of an index in the box."""
    known, unknown = expression.constant, list[tuple[ir.Value, int]]()
    for dimension, factor in expression.terms:
        start, size = placed[dimension]
        known += factor * (size - 1) if factor < 0 else 0
        if isinstance(start, int):
            known += factor * start
        else:
            unknown.append((start, factor))
    return _sum(known, unknown)


def _sum(number: int, products: Sequence[tuple[ir.Value, int]]) -> Start:
    """Return a number plus values with factors, as operations only where there are values."""
    index = ir.IndexType.get()

    def constant(value: int) -> ir.Value:
        return arith.ConstantOp(index, value).result

    total: ir.Value | None = None
    for value, factor in products:
        term = value if factor == 1 else arith.MulIOp(value, constant(factor)).result
        total = term if total is None else arith.AddIOp(total, term).result
    if total is None:
        return number
    return arith.AddIOp(total, constant(number)).result if number else total


def _shift_indices(clone: ir.Operation, placed: dict[int, tuple[Start, int]]) -> None:
    """Let `linalg.index` in the body give positions in the whole domain."""
    found = ops_of(clone.opview, linalg.IndexOp)
    for op in found:
        start, _ = placed[op.dim.value]
        if start == 0:
            continue
        users = [use.owner for use in op.result.uses]
        with op.location, ir.InsertionPoint.after(op):
            value = (
                start
                if isinstance(start, ir.Value)
                else arith.ConstantOp(ir.IndexType.get(), start).result
            )
            shifted = arith.AddIOp(op.result, value).result
        for user in users:
            for number, operand in enumerate(user.operands):
                if operand == op.result:
                    user.operands[number] = shifted


def _replace_maps(
    clone: ir.Operation,
    op: ir.OpView,
    maps: Sequence[ir.AffineMap],
    placed: dict[int, tuple[Start, int]],
) -> None:
    """Replace maps whose constants the offsets of the slices have taken over."""
    relative = [_relative(map_, placed) for map_ in maps]
    if relative == list(maps):
        return
    if not isinstance(op, linalg.GenericOp):
        raise RefusedError(
            op.location, f"{op.operation.name} has an index that does not begin at 0; generalize it"
        )
    clone.attributes["indexing_maps"] = ir.ArrayAttr.get(
        [ir.AffineMapAttr.get(map_) for map_ in relative]
    )


def _relative(map_: ir.AffineMap, placed: dict[int, tuple[Start, int]]) -> ir.AffineMap:
    """Return the map for slices: each index counts from its smallest value in the box."""
    rows: list[ir.AffineExpr] = []
    for expression in map(affine_of, map_.results):
        row: ir.AffineExpr = ir.AffineConstantExpr.get(
            -sum(factor * (placed[d][1] - 1) for d, factor in expression.terms if factor < 0)
        )
        for dimension, factor in expression.terms:
            row = row + ir.AffineDimExpr.get(dimension) * factor
        rows.append(row)
    return ir.AffineMap.get(map_.n_dims, 0, rows)
