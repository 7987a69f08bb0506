"""The parts of buffers that ops access: rows, boxes, and their cells in shadow memory."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence

from mlir import ir
from mlir.dialects import memref

from forebay.dialects.accel import ReduceOp
from forebay.dialects.memref_pool import RowOp
from forebay.ir.identity import identity_of
from forebay.ir.plan_check.accesses.elements import accessed
from forebay.ir.plan_check.buffers.placed import (
    FIRST_GROUP,
    PlacedBuffer,
    PlacedBuffers,
    Role,
    declarations_of,
)
from forebay.ir.plan_check.integers.arithmetic import Arithmetic
from forebay.ir.plan_check.integers.numbers import ZERO, LinearForm, number
from forebay.ir.plan_check.memory.cells import Cells
from forebay.ir.plan_check.memory.references import (
    CALLER_BUFFER,
    Reference,
    References,
    is_whole,
    layout_of,
    span_of,
)
from forebay.ir.plan_check.memory.shadow_memory import PlacedBytes, ShadowMemory
from forebay.ir.plan_check.rows.row_accesses import (
    ReduceRows,
    extents_of_box,
    row_number_of,
    starts_of,
)
from forebay.ir.refused import RefusedError

_MOST_ROWS = 256
"""Values of a row's index that are told apart where a loop's counter decides it."""

_DYNAMIC = ir.ShapedType.get_dynamic_size()


class BufferParts:
    """The rows and boxes of buffers that references stand for, and the cells of their bytes.

    `values` has the current references of every memref.
    """

    def __init__(
        self,
        placing: PlacedBuffers,
        values: Mapping[ir.Value, References],
        run: Arithmetic,
        cells: Cells,
        shadow: ShadowMemory[ir.Location],
    ) -> None:
        self._placing = placing
        self._values = values
        self._run = run
        self._cells = cells
        self._shadow = shadow
        self._reductions: dict[tuple[int, int], ReduceRows] = {}
        self._shown: dict[tuple[str, int], int] = {}
        """The buffers of rows that views of pool bases have shown, by name and number of row."""

    def forget_rows(self) -> None:
        """Begin a run of an entry function, in which no row is known."""
        self._shown = {}

    def row_of(self, op: RowOp) -> References:
        """Return the references of a row, or of all rows if its index is not known."""
        extents = ir.MemRefType(op.source.type).shape
        indices = iter(op.indices)
        mixed = [
            self._run.of(next(indices)) if n == _DYNAMIC else number(n) for n in op.static_indices
        ]
        row: int | None = 0
        for index, extent in zip(mixed, extents, strict=False):
            if self._run.numbers.upper(index) < 0 or self._run.numbers.lower(index) >= extent:
                at = index.constant
                raise RefusedError(
                    op.location,
                    f"'{op.operation.name}' shows row {'' if at is None else at} of a dimension "
                    f"of {extent:,}",
                )
            constant = index.constant
            row = None if row is None or constant is None else row * extent + constant
        found = frozenset[Reference]()
        for reference in self._values.get(op.source, found):
            rows = range(len(self._placing.numbers_of(reference.buffer)))
            found |= self._rows(reference, rows if row is None else [row])
        shape, strides = layout_of(ir.MemRefType(op.row.type))
        return frozenset(r._replace(shape=shape, strides=strides) for r in found)

    def row_view(self, op: memref.ViewOp, pool: str, name: str) -> Reference:
        """Return the reference of a row of the buffer `name` in a materialised program.

        The offset of the row must be a number.
        """
        offset = self._run.of(op.byte_shift).constant
        row = row_number_of(op, self._run)
        if offset is None or row is None:
            raise RefusedError(
                op.location, f"it is unknown which row of '{name}' '{op.operation.name}' shows"
            )
        shape, strides = layout_of(ir.MemRefType(op.result.type))
        element = strides[-1].constant or 1
        size = element * math.prod(n.constant or 0 for n in shape)
        if (name, row) not in self._shown:
            self._show(op, f"{name}[{row}]", (name, row), PlacedBytes(pool, offset, offset + size))
        shown = self._shown[name, row]
        if self._placing.buffers[shown].start != offset:
            raise RefusedError(
                op.location,
                f"row {row:,} of '{name}' is at byte {offset:,} of pool @{pool} here, but at "
                f"{self._placing.buffers[shown].span} elsewhere",
                declarations_of(self._placing.buffers[shown]),
            )
        return Reference(shown, 0, size, ZERO, shape, strides, element, ZERO)

    def _show(self, op: memref.ViewOp, name: str, key: tuple[str, int], place: PlacedBytes) -> None:
        """Add the buffer of a row that is shown for the first time."""
        end = ir.MemRefType(op.source.type).shape[0]
        if place.start < 0 or place.end > end:
            raise RefusedError(
                op.location,
                f"row '{name}' is at [{place.start:,}, {place.end:,}) of pool @{place.pool}, whose "
                f"base has {end:,} bytes",
            )
        element = ir.MemRefType(op.result.type).element_type
        bits = element.width if isinstance(element, ir.IntegerType | ir.FloatType) else 8
        buffer = PlacedBuffer(name, Role.TEMPORARY, *place, op.location, (place.pool,), bits // 8)
        self._shown[key] = self._placing.add(buffer)
        self._placing.unwritten.add(self._shown[key])
        for cell in self._cells.add(self._shown[key]):
            self._shadow.watch(cell)
            self._shadow.allocate(cell)

    def of(self, op: ir.OpView, value: ir.Value, *, by_elements: bool) -> References:
        """Return the parts that an op may access through one of its memrefs.

        Of a buffer without parts they are the accessed elements only with `by_elements`.
        """
        found = frozenset[Reference]()
        for reference in self._values[value]:
            if reference.buffer == CALLER_BUFFER:
                continue
            is_group = reference.buffer <= FIRST_GROUP
            if not is_group and not self._cells.has_parts(reference.buffer):
                found |= {accessed(op, value, reference, self._run) if by_elements else reference}
            elif isinstance(op, ReduceOp) and is_whole(reference):
                found |= self._rows(reference, self._rows_of_reduction(op, value, reference))
            elif is_group:
                found |= self._rows(reference, range(self._row_count(reference)))
            elif isinstance(op, ReduceOp):
                found |= self._box_of_reduction(op, value, reference)
            else:
                found |= {accessed(op, value, reference, self._run)}
        return found

    def _rows_of_reduction(self, op: ReduceOp, value: ir.Value, whole: Reference) -> Sequence[int]:
        """Return the rows that a reduction accesses of one of its operands; all, if unknown."""
        every = range(self._row_count(whole))
        starts = starts_of(op, self._run)
        mapped = [*op.inputs, *op.params, op.output]
        operands = [n for n, operand in enumerate(mapped) if operand == value]
        if starts is None or not operands:
            return every
        rows = set[int]()
        for operand in operands:
            key = (identity_of(op), operand)
            if key not in self._reductions:
                elements = whole.size // len(every) // whole.element
                self._reductions[key] = ReduceRows(op, operand, elements)
            found = self._reductions[key].at(starts)
            if found is None:
                return every
            rows.update(found)
        return sorted(rows)

    def _box_of_reduction(self, op: ReduceOp, value: ir.Value, part: Reference) -> References:
        """Return the parts that a reduction's box accesses of a view of some bytes of a buffer."""
        starts = starts_of(op, self._run)
        mapped = [*op.inputs, *op.params, op.output]
        operands = [n for n, operand in enumerate(mapped) if operand == value]
        if starts is None or not operands:
            return frozenset({part})
        boxes = (extents_of_box(op, operand, starts) for operand in operands)
        return frozenset(part.box(box, self._run.numbers) for box in boxes if all(map(len, box)))

    def _row_count(self, whole: Reference) -> int:
        if whole.buffer <= FIRST_GROUP:
            return len(self._placing.numbers_of(whole.buffer))
        return len(self._cells.of_buffer(whole.buffer))

    def _rows(self, whole: Reference, rows: Iterable[int]) -> References:
        """Return references to rows of a whole buffer, or of a memref of rows."""
        size = whole.size // self._row_count(whole)
        shape, strides = (number(size // whole.element),), (number(whole.element),)
        row = whole._replace(shape=shape, strides=strides)
        if whole.buffer <= FIRST_GROUP:
            numbers = self._placing.numbers_of(whole.buffer)
            return frozenset(row._replace(buffer=numbers[n], size=size) for n in rows)
        return frozenset(row._replace(begin=number(n * size)) for n in rows)

    def cells(self, reference: Reference) -> Sequence[int]:
        """Return the cells that have bytes of a reference."""
        buffer = reference.buffer
        if not self._cells.has_parts(buffer):
            return self._cells.of_buffer(buffer)
        hull = self._cells.of_span(buffer, *self._span(reference))
        if len(hull) < 2:
            return hull
        steps, rest = _whole_rows(reference.begin, self._placing.row_bytes[buffer])
        starts = self._run.numbers.values_of(steps, _MOST_ROWS)
        if starts is None or len(starts) == 1:
            return hull
        low, high = self._span(reference._replace(begin=rest))
        parts = (self._cells.of_span(buffer, start + low, start + high) for start in starts)
        return sorted({cell for part in parts for cell in part if cell in hull})

    def _span(self, reference: Reference) -> tuple[float, float]:
        """Return the first byte of a reference and the end of its last one; no bytes: 0 and 0."""
        span = span_of(reference, self._run)
        if span is None:
            return 0, 0
        return self._run.numbers.lower(span[0]), self._run.numbers.upper(span[1])


def _whole_rows(form: LinearForm, size: int) -> tuple[LinearForm, LinearForm]:
    """Return the terms of a number of bytes that are whole rows, and the rest."""
    steps = tuple(term for term in form.terms if term[1] % size == 0)
    rest = tuple(term for term in form.terms if term[1] % size)
    return LinearForm(steps, 0, 0, 0), form._replace(terms=rest)
