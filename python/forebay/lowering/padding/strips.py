"""A kernel that reads a few padded rows of its source at a time: a strip of them.

A strip has the rows of the windows of some rows of the result. The rows that the next windows need,
too, are moved to its front, so each row of the source is copied once::

    fill the strip with the zero point                     strip of 4 rows: two rows of the result
    copy the first rows of the source to its end
    for y = 0 to 8 step 2                                     0 0 0 0 0     row 1 of the source
      move the last rows to the front                         0 row 0 0     row 2
      copy the next rows of the source, or fill them          0 row 1 0     row 3
      kernel: rows y and y + 1 of the result                  0 row 2 0     row 4

If the windows move row by row, and nothing reads the source later, the result takes its buffer.
In other programs each row of the source may have a lifetime of its own, which ends with its copy.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from mlir import ir
from mlir.dialects import arith, memref, scf
from msgspec import Struct

from forebay.dialects.accel import ReduceOp
from forebay.dialects.memref_pool import AllocOp
from forebay.ir.attributes import integers_of
from forebay.ir.memory.linear import Linear, linear_of_map
from forebay.ir.rows.row_offsets import BY_ROWS
from forebay.lowering.blocks.neighbours import uses_dim
from forebay.lowering.kernels import scalar
from forebay.lowering.kernels.named import named
from forebay.lowering.loops.box_loops import either, is_between
from forebay.lowering.padding.fills import fill_run
from forebay.lowering.padding.padded_op import read_padded
from forebay.lowering.padding.padding import SOURCE, SourcePadding
from forebay.lowering.padding.shared_buffer import may_share_buffer, share_buffer


class Strips(Struct, frozen=True):
    """How the rows of a padded source come in strips.

    `axis` is that of the rows of the source, `dim` that of the rows of the result in the domain,
    which has `rows` positions; each strip is for `positions` of them. A window has `window` rows,
    and the next one begins `stride` rows later.
    """

    padding: SourcePadding
    axis: int
    dim: int
    rows: int
    stride: int
    window: int
    positions: int
    has_row_lifetimes: bool = False
    """Whether each row of the source and of the result has a lifetime of its own in the plan."""

    @property
    def overlap(self) -> int:
        """The rows of a strip that the next one has, too."""
        return self.window - self.stride

    @property
    def new(self) -> int:
        """The rows of a strip that the one before has not."""
        return self.positions * self.stride

    @property
    def height(self) -> int:
        """The rows of a strip."""
        return self.overlap + self.new

    @property
    def count(self) -> int:
        """The number of strips."""
        return self.rows // self.positions

    @property
    def below(self) -> int:
        """The rows of the last strip that are after the source."""
        inside = self.padding.before[self.axis] + self.padding.shape[self.axis]
        return max(0, self.overlap + self.rows * self.stride - inside)

    @property
    def shape(self) -> tuple[int, ...]:
        """The shape of a strip."""
        padded = list(self.padding.padded)
        padded[self.axis] = self.height
        return tuple(padded)

    @property
    def moved(self) -> int:
        """The elements that are moved in a strip, from strip to strip."""
        row = math.prod(self.shape) // self.height
        return (self.count - 1) * self.overlap * row

    def type_of(self, element: ir.Type, space: ir.Attribute | None) -> ir.MemRefType:
        """Return the type of a strip in a memory space."""
        return ir.MemRefType.get(list(self.shape), element, memory_space=space)


def strips_of(op: ReduceOp, padding: SourcePadding, least: int) -> Strips | None:
    """Return strips for at least `least` rows of the result each, or None.

    The rows of source and result must be along the first axis with several indices, and no other
    operand may depend on the row. Strips have equal numbers of rows, and an element is moved to
    where no other element is that will be moved. None also where one strip would be the whole copy.
    """
    axis, dim = _first_long(padding.shape), _row_dim(op)
    if axis is None or dim is None or any(padding.before[:axis]) or any(padding.after[:axis]):
        return None
    form = _rows_of_window(op, axis, dim)
    if form is None:
        return None
    rows, stride = integers_of(op.parallel)[dim], form.factor(dim)
    if form.constant != -padding.before[axis]:
        return None
    extents = (*integers_of(op.parallel), *integers_of(op.reduction))
    window = 1 + sum(term * (extents[d] - 1) for d, term in form.terms.items() if d != dim)
    if stride < 1 or window < stride or padding.before[axis] > window - stride:
        return None
    for positions in range(max(least, -(-(window - stride) // stride), 1), rows // 2 + 1):
        found = Strips(padding, axis, dim, rows, stride, window, positions)
        if rows % positions == 0 and found.below <= found.new:
            return found
    return None


def run_in_strips(op: ReduceOp, strips: Strips, space: ir.Attribute | None) -> ReduceOp:
    """Replace an op by a loop over strips, which are in a memory space; return the op on them."""
    element = ir.MemRefType(op.inputs[SOURCE].type).element_type
    if strips.stride == 1 and may_share_buffer(op):
        share_buffer(op)
    with ir.InsertionPoint(op), op.operation.location:
        with named("padded"):
            strip = AllocOp(strips.type_of(element, space)).memref
        value = scalar.scalar_constant(strips.padding.value, element)
        rows = _StripRows(strips, op.inputs[SOURCE], strip, value)
        rows.begin()
        ends = (_index(0), _index(strips.rows), _index(strips.positions))
        with named("row"):
            loop = scf.ForOp(*ends)
        if strips.has_row_lifetimes:
            loop.operation.attributes[BY_ROWS] = ir.UnitAttr.get()
        with ir.InsertionPoint(loop.body):
            rows.next(loop.induction_variable)
            kernel = _kernel(op, strips, strip, loop.induction_variable)
            scf.YieldOp([])
    op.operation.erase()
    return kernel


def _kernel(op: ReduceOp, strips: Strips, strip: ir.Value, row: ir.Value) -> ReduceOp:
    """Run the op on a strip, for the rows of the result from `row` on."""
    axis = _row_axis_of_result(op, strips.dim)
    assert axis is not None, "the op has strips"
    kernel = op.operation.clone().opview
    assert isinstance(kernel, ReduceOp)
    sizes = list(integers_of(op.parallel))
    sizes[strips.dim] = strips.positions
    kernel.attributes["parallel"] = ir.DenseI64ArrayAttr.get(sizes)
    with ir.InsertionPoint(kernel):
        out = _rows(op.output, axis, row, strips.positions)
    kernel.operation.operands[len(kernel.operation.operands) - 1] = out
    read_padded(kernel, strips.padding, strip)
    return kernel


class _StripRows(Struct, frozen=True, eq=False):
    """The rows of a strip, and of the source that they are copied from."""

    strips: Strips
    source: ir.Value
    strip: ir.Value
    value: ir.Value

    def begin(self) -> None:
        """Fill the strip, and copy the first rows of the source to its end."""
        fill_run(self.strip, self.value)
        if self._early:
            self._copy(0, self.strips.height - self._early, self._early)

    def next(self, row: ir.Value) -> None:
        """Fill the strip for the rows of the result from `row` on."""
        strips, inside = self.strips, self.strips.new - self.strips.below
        if strips.overlap:
            last = _rows(self.strip, strips.axis, strips.new, strips.overlap)
            memref.CopyOp(last, _rows(self.strip, strips.axis, 0, strips.overlap))
        first = scalar.add_constant(scalar.scaled(row, strips.stride), self._early)
        if inside:
            self._copy(first, strips.overlap, inside)
        if strips.below:
            inner = range(strips.rows - strips.positions)  # of the strips before the last one
            either(
                is_between(row, inner, range(strips.rows)),
                [],
                lambda: self._copy_below(scalar.add_constant(first, inside)),
                self._fill_below,
            )

    @property
    def _early(self) -> int:
        """The rows of the source that the first strip has in its overlap."""
        return self.strips.overlap - self.strips.padding.before[self.strips.axis]

    def _fill_below(self) -> list[ir.Value]:
        strips = self.strips
        behind = _rows(self.strip, strips.axis, strips.height - strips.below, strips.below)
        fill_run(behind, self.value)
        return []

    def _copy_below(self, first: ir.Value) -> list[ir.Value]:
        strips = self.strips
        # The check of the plan knows no conditions: the minimum shows that the rows exist.
        last = _index(strips.padding.shape[strips.axis] - strips.below)
        at = arith.MinSIOp(first, last).result
        self._copy(at, strips.height - strips.below, strips.below)
        return []

    def _copy(self, first: int | ir.Value, at: int, count: int) -> None:
        """Copy rows of the source into the strip, between the columns of its padding."""
        padding, axis = self.strips.padding, self.strips.axis
        shape, offsets = list(padding.shape), list(padding.before)
        shape[axis], offsets[axis] = count, at
        inside = memref.subview(self.strip, offsets, shape, [1] * len(shape))
        memref.CopyOp(_rows(self.source, axis, first, count), inside)


def _rows(value: ir.Value, axis: int, first: int | ir.Value, count: int) -> ir.Value:
    """Return a view of some rows of a memref."""
    shape = list(ir.MemRefType(value.type).shape)
    offsets: list[int | ir.Value] = [0] * len(shape)
    shape[axis], offsets[axis] = count, first
    return memref.subview(value, offsets, shape, [1] * len(shape))


def _first_long(shape: Sequence[int]) -> int | None:
    """Return the first axis with several indices, if another one is after it."""
    axis = next((n for n, extent in enumerate(shape) if extent > 1), len(shape))
    return axis if axis + 1 < len(shape) else None


def _row_dim(op: ReduceOp) -> int | None:
    """Return the dimension of the domain along which the result has rows."""
    shape = list(ir.MemRefType(op.output.type).shape)
    axis = _first_long(shape)
    index = linear_of_map(ir.AffineMapAttr(list(op.maps)[-1]).value)
    form = None if axis is None else index[axis]
    if axis is None or form is None or form.constant or list(form.terms.values()) != [1]:
        return None
    (dim,) = form.terms
    return dim if integers_of(op.parallel)[dim] == shape[axis] else None


def _row_axis_of_result(op: ReduceOp, dim: int) -> int | None:
    """Return the axis of the result along the rows, which are a dimension of the domain."""
    index = linear_of_map(ir.AffineMapAttr(list(op.maps)[-1]).value)
    return next((n for n, form in enumerate(index) if form is not None and dim in form.terms), None)


def _rows_of_window(op: ReduceOp, axis: int, dim: int) -> Linear[int] | None:
    """Return the index of the row of the source; None if other indices depend on the position."""
    index = linear_of_map(ir.AffineMapAttr(list(op.maps)[SOURCE]).value)
    form = index[axis]
    others = [form_of_axis for n, form_of_axis in enumerate(index) if n != axis]
    if form is None or any(other is None or dim in other.terms for other in others):
        return None
    parallel = range(len(integers_of(op.parallel)))
    if any(d in parallel for d in form.terms if d != dim) or min(form.terms.values()) < 1:
        return None
    operands = range(len(list(op.maps)) - 1)
    is_alone = not any(uses_dim(op, number, dim) for number in operands if number != SOURCE)
    return form if is_alone and dim in form.terms else None


def _index(number: int) -> ir.Value:
    return scalar.scalar_constant(number, ir.IndexType.get())
