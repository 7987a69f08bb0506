"""Effects of ops on shadow memory, and the errors that they reveal."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from typing import NamedTuple

from mlir import ir
from mlir.dialects import func, memref
from mlir.dialects.builtin import ModuleOp

from forebay.dialects.accel import CallOp, LaunchOp, MoveOp, ReduceOp, StartOp
from forebay.dialects.memref_pool import CopyOp, RowOp
from forebay.ir.identity import identity_of
from forebay.ir.nested import ops_nested_in, ops_of
from forebay.ir.plan_check.accesses.buffer_parts import BufferParts
from forebay.ir.plan_check.accesses.elements import ElementAccess, memory_of
from forebay.ir.plan_check.accesses.operands import KERNELS, Accesses, accesses_of
from forebay.ir.plan_check.accesses.operations import AccessedPart, Operations
from forebay.ir.plan_check.accesses.rights import AccessRights, CheckedAccess
from forebay.ir.plan_check.buffers.placed import (
    FIRST_GROUP,
    PlacedBuffers,
    declarations_of,
)
from forebay.ir.plan_check.integers.arithmetic import Arithmetic
from forebay.ir.plan_check.memory.cells import Cells
from forebay.ir.plan_check.memory.extents import check_extent
from forebay.ir.plan_check.memory.references import (
    CALLER_BUFFER,
    OVER,
    Reference,
    References,
    is_whole,
)
from forebay.ir.plan_check.memory.shadow_memory import Mark, PlacedBytes, ShadowMemory
from forebay.ir.plan_check.rows.row_accesses import (
    ends_reduction,
)
from forebay.ir.refused import RefusedError

_NUMBERS = (ir.IntegerType, ir.IndexType, ir.FloatType, ir.VectorType, ir.ComplexType)


def _is_number(type_: ir.Type) -> bool:
    """Return whether values of the type never refer to memory."""
    return isinstance(type_, _NUMBERS)


def _is_no_memref(type_: ir.Type) -> bool:
    return not isinstance(type_, ir.MemRefType | ir.UnrankedMemRefType)


def is_without_memory(op: ir.OpView) -> bool:
    """Return whether an op without regions neither takes nor makes a memref."""
    values = [*op.operands, *op.results]
    return len(op.regions) == 0 and all(_is_no_memref(value.type) for value in values)


class CheckedElement(NamedTuple):
    """A load or a store of elements of `memory`, and the device that runs it."""

    op: ElementAccess
    memory: ir.Value
    kind: type
    device: str


class Uses:
    """Shadow memory of a module's buffers, and the current references of every memref.

    `operations` are those that may be in flight. `numbers` are constant addresses by which a
    function accesses buffers of its caller. `sees_elements` says whether the elements that loads
    and stores access may matter.
    """

    def __init__(self, module: ModuleOp, placing: PlacedBuffers) -> None:
        self.values: dict[ir.Value, References] = {}
        self.run = Arithmetic()
        self.numbers: set[ir.Value] = set()
        self.cells = Cells(placing)
        self._buffers = placing.buffers
        self._rights = AccessRights(module)
        self.operations = Operations(self.run, self._rights, self._buffers)
        self.sees_elements = _sees_elements(module, placing)
        self._declared: dict[int, list[CheckedAccess]] = {}
        """By op: its accesses to memrefs, which do not change between its runs."""
        self._alike: dict[tuple[type, str, References | None], int] = {}
        """By class, device and references of loads and stores: the version of the marks."""
        watched = range(len(self.cells.places)) if placing.shows_rows else ()
        rows = (row for group in placing.groups for row in group)
        self.shadow: ShadowMemory[ir.Location] = ShadowMemory(
            self.cells.places,
            (*watched, *(cell for row in rows for cell in self.cells.of_buffer(row))),
        )
        self._parts = BufferParts(placing, self.values, self.run, self.cells, self.shadow)

    def check(self, op: ir.OpView) -> None:
        """Run one op that is neither a view nor control flow."""
        if len(op.regions) == 0 and not any(value in self.values for value in op.operands):
            self._refuse_memory(op, allowed=_is_no_memref)
            return
        self._refuse_unknown(op)
        parts = self._accessed_parts(op)
        self.operations.check(op, parts)
        self._use(op, parts)

    def element_of(self, op: ElementAccess) -> CheckedElement:
        """Return what `check_element` and `check_alike` need of a load or a store."""
        return CheckedElement(op, memory_of(op), type(op), self._rights.device(op))

    def check_element(self, element: CheckedElement) -> None:
        """Run a load or a store of elements."""
        if self.is_of_whole_cells(element.memory):
            self.check_alike(element)
        else:
            self.check(element.op)

    def check_alike(self, element: CheckedElement) -> None:
        """Run a load or a store, unless one like it has run since the last change of a mark.

        The indices must not matter: see `sees_elements` and `is_of_whole_cells`.
        """
        likeness = (element.kind, element.device, self.values.get(element.memory))
        if self._alike.get(likeness) != self.shadow.version:
            self.check(element.op)
            self._alike[likeness] = self.shadow.version

    def check_view(self, op: ir.OpView, reference: Reference) -> None:
        """Raise `RefusedError` if a view exceeds its buffer or is less aligned than it states."""
        check_extent(op, reference, self._buffers, self.run)
        if reference.buffer == CALLER_BUFFER:
            return
        buffer = self._buffers[reference.buffer]
        if isinstance(op, memref.AssumeAlignmentOp):
            what, alignment = "what is assumed to be aligned", op.alignment.value
        elif isinstance(op, memref.ViewOp):
            what, alignment = "what 'memref.view' shows", reference.element & -reference.element
        else:
            return
        self._rights.check_address(op, what, reference, buffer, alignment)

    def check_shape(self, op: memref.ReshapeOp) -> None:
        """Check the read of the shape of a reshaped memref, which is in memory."""
        for reference in sorted(self._references(v for v in [op.shape] if v in self.values)):
            self._check_read(op, reference, self._parts.cells(reference))

    def start(self, op: StartOp | LaunchOp, run: int) -> None:
        """Run an op whose operands are in use until a wait for its token."""
        self._refuse_unknown(op)
        parts = self._accessed_parts(op)
        self.operations.check_start(op, parts)
        self._use(op, parts)
        self.operations.start(op, run, parts)

    def _use(self, op: ir.OpView, parts: list[AccessedPart]) -> None:
        self._check_rights(op, parts)
        nothing = frozenset[Reference]()
        reads = nothing.union(*(references for access, references in parts if access.reads))
        writes = nothing.union(*(references for access, references in parts if access.writes))
        cells = {reference: self._parts.cells(reference) for reference in sorted(reads | writes)}
        for reference in sorted(reads):
            self._check_read(op, reference, cells[reference])
        for reference in sorted(writes):
            self._check_write(op, reference, cells)
        for reference in reads:
            for cell in cells[reference]:
                self.shadow.define(cell)
        for reference in sorted(writes):
            for cell in cells[reference]:
                self.shadow.write(cell, op.location)
        for filled in _filled(op, [access for access, _ in parts]):
            if filled in self.numbers:
                self._repair(self.values[filled])

    def _repair(self, references: References) -> None:
        """Repair all buffers at the place of a buffer known by address only, if an op fills it.

        Several buffers may be at this place one after the other. The function cannot know which of
        them its caller means. An op that writes all bytes of the place defines the contents of each
        of them.
        """
        for reference in references:
            if is_whole(reference):
                self.shadow.repair(PlacedBytes(*self._buffers[reference.buffer].address_range))

    def begin(self) -> None:
        """Begin a run of an entry function: no operation is in flight, and no row is known."""
        self.operations.in_flight = {}
        self._parts.forget_rows()

    def is_of_whole_cells(self, value: ir.Value) -> bool:
        """Return whether a memref shows buffers of one cell each, and no operation is in flight.

        The indices of an access do not matter then.
        """
        return not self.operations.in_flight and not any(
            reference.buffer <= FIRST_GROUP or self.cells.has_parts(reference.buffer)
            for reference in self._references([value] if value in self.values else [])
        )

    def row_of(self, op: RowOp) -> References:
        """Return the references of a row, or of all rows if its index is not known."""
        return self._parts.row_of(op)

    def row_view(self, op: memref.ViewOp, pool: str, name: str) -> References:
        """Return the reference of a row of a buffer in a materialised program."""
        reference = self._parts.row_view(op, pool, name)
        self.check_view(op, reference)
        return frozenset({reference})

    def _accessed_parts(self, op: ir.OpView) -> list[AccessedPart]:
        """Return the accesses of an op, each with the parts of buffers that it may be to."""
        accesses = self._accesses(op)
        if isinstance(op, ReduceOp) and op.accumulators:
            is_ended = ends_reduction(op, self.run)
            accesses = [a for a in accesses if is_ended or a.value != op.output or a.reads]
        by_elements = bool(self.operations.in_flight)
        return [
            (access, self._parts.of(op, access.value, by_elements=by_elements))
            for access in accesses
        ]

    def check_intact(self, number: int, function: func.FuncOp) -> None:
        """Raise `RefusedError` if the buffer is damaged at the end of an entry function."""
        for cell in self.cells.of_buffer(number):
            mark = self.shadow.broken_mark_of(cell)
            if mark is not None:
                name = f"@{function.sym_name.value}"
                raise self._overwritten(
                    function.location, f"after {name} its caller needs", cell, mark
                )

    def _accesses(self, op: ir.OpView) -> list[CheckedAccess]:
        """Return the accesses of an op to memrefs, including those in its regions."""
        key = identity_of(op)
        if key not in self._declared:
            inner = ops_nested_in(op) if len(op.regions) else []
            found = [(op, accesses_of), *((i, partial(self._inner_accesses, op)) for i in inner)]
            self._declared[key] = [
                access
                for user, accesses in found
                for access in self._rights.accesses(user, accesses)
                if isinstance(access.value.type, ir.MemRefType | ir.UnrankedMemRefType)
            ]
        return [access for access in self._declared[key] if access.value in self.values]

    def _references(self, values: Iterable[ir.Value]) -> References:
        """Return the references to buffers; memory of the caller is left out."""
        found = frozenset[Reference]().union(*(self.values[value] for value in values))
        return frozenset(r for r in found if r.buffer != CALLER_BUFFER)

    def _check_rights(self, op: ir.OpView, parts: Iterable[AccessedPart]) -> None:
        for access, references in parts:
            if not references and all(r.buffer == CALLER_BUFFER for r in self.values[access.value]):
                self._rights.check_outside(op, access)
            for reference in sorted(references):
                self._rights.check(op, access, reference, self._buffers[reference.buffer])

    def _inner_accesses(self, kernel: ir.OpView, op: ir.OpView) -> Accesses:
        if isinstance(op, func.CallOp):
            raise RefusedError(op.location, f"'{kernel.operation.name}' must not call functions")
        self._refuse_memory(op)
        return accesses_of(op)

    def _check_read(self, op: ir.OpView, reference: Reference, cells: Iterable[int]) -> None:
        self._check_instance(op, reference)
        for cell in cells:
            mark = self.shadow.broken_mark_of(cell)
            is_empty = self.cells.is_unwritten(cell) and self.shadow.is_fresh(cell)
            if mark is None and not is_empty:
                continue
            verb = f"'{op.operation.name}' reads"
            if mark is not None:
                raise self._overwritten(op.location, verb, cell, mark)
            buffer = self.cells.described(cell)
            raise RefusedError(
                op.location,
                f"{verb} {buffer.description}, into which nothing was written",
                declarations_of(buffer),
            )

    def _check_write(
        self, op: ir.OpView, reference: Reference, used: Mapping[Reference, Sequence[int]]
    ) -> None:
        self._check_instance(op, reference)
        for cell in used[reference]:
            place = self.cells.places[cell]
            for cells in used.values():
                for second in cells:
                    if second != cell and place.overlaps(self.cells.places[second]):
                        raise self._sharing(op, cell, second)

    def _sharing(self, op: ir.OpView, cell: int, other: int) -> RefusedError:
        buffer, second = self.cells.described(cell), self.cells.described(other)
        return RefusedError(
            op.location,
            f"'{op.operation.name}' writes {buffer.description} while it uses "
            f"'{second.name}' at {second.span}, and the two share bytes",
            declarations_of(buffer, second),
        )

    def _check_instance(self, op: ir.OpView, reference: Reference) -> None:
        if reference.instance == OVER:
            buffer = self._buffers[reference.buffer]
            raise RefusedError(
                op.location,
                f"'{op.operation.name}' uses {buffer.description} as an earlier iteration of a "
                "loop left it, but each iteration has its own there",
                [(buffer.location, f"'{buffer.name}' is allocated here")],
            )

    def _overwritten(
        self, where: ir.Location, verb: str, cell: int, mark: Mark[ir.Location]
    ) -> RefusedError:
        buffer, by = self.cells.described(cell), self.cells.described(mark.by)
        notes = [] if mark.where is None else [(mark.where, f"'{by.name}' is written here")]
        return RefusedError(
            where,
            f"{verb} {buffer.description}, but '{by.name}' at {by.span} has overwritten its bytes",
            [*notes, *declarations_of(buffer, by)],
        )

    def _refuse_unknown(self, op: ir.OpView) -> None:
        if len(op.regions) and type(op) not in KERNELS:
            raise RefusedError(
                op.location,
                f"the plan cannot be checked, since no rule says how '{op.operation.name}' runs "
                "its regions",
            )
        self._refuse_memory(op)

    def _refuse_memory(
        self, op: ir.OpView, allowed: Callable[[ir.Type], bool] = _is_number
    ) -> None:
        if isinstance(op, (LaunchOp, StartOp)):
            return
        hidden = isinstance(op, memref.ExtractAlignedPointerAsIndexOp)
        if hidden or not all(allowed(result.type) for result in op.results):
            raise RefusedError(
                op.location,
                f"the plan cannot be checked, since no rule says which memory "
                f"'{op.operation.name}' gives access to",
            )


def _sees_elements(module: ModuleOp, placing: PlacedBuffers) -> bool:
    """Return whether the elements that loads and stores access may matter.

    They matter to operations in flight and where the rows of a buffer are marked one by one.
    """
    has_rows = bool(placing.groups or placing.row_bytes or placing.shows_rows)
    return has_rows or bool(ops_of(module, StartOp, LaunchOp))


def _filled(op: ir.OpView, accesses: list[CheckedAccess]) -> list[ir.Value]:
    """Return the operands that an op writes as a whole: targets of copies, results of calls."""
    if isinstance(op, (memref.CopyOp, CopyOp, MoveOp, StartOp)):
        return [op.target]
    if isinstance(op, (CallOp, LaunchOp)):
        return [access.value for access in accesses if access.writes and not access.reads]
    return []
