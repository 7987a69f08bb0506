"""What memrefs refer to: buffers that begin, constants, variables, addresses, rows and views."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from mlir import ir
from mlir.dialects import memref

from forebay.dialects.memref_pool import AddressOp, AllocOp, RowOp
from forebay.ir.plan_check.accesses.uses import Uses
from forebay.ir.plan_check.buffers.placed import PlacedBuffers, Role
from forebay.ir.plan_check.integers.arithmetic import is_integer
from forebay.ir.plan_check.integers.numbers import LinearForm
from forebay.ir.plan_check.memory.path_state import AbstractValue
from forebay.ir.plan_check.memory.references import (
    References,
    metadata,
    of_caller,
    viewed,
    whole_buffer,
)
from forebay.ir.plan_check.program.runner import is_memref
from forebay.ir.plan_check.rows.row_loops import ROW_OF
from forebay.ir.refused import RefusedError


class InstanceNumbers:
    """Numbers of instances of buffers and of started operations; none is given twice."""

    def __init__(self) -> None:
        self.next = 1

    def take(self, count: int = 1) -> int:
        """Return the first of as many new numbers."""
        first = self.next
        self.next += count
        return first


class MemrefValues:
    """The references of memrefs, as the ops that make memrefs set them."""

    def __init__(self, placing: PlacedBuffers, uses: Uses, instances: InstanceNumbers) -> None:
        self._placing = placing
        self._uses = uses
        self._values = uses.values
        self._run = uses.run
        self._numbers = uses.run.numbers
        self._instances = instances
        self._addresses: list[dict[tuple[str, int, int], References]] = []
        """Per active call: the instances of buffers inside devices that it has created."""
        self._row_buffers: list[Sequence[str]] = []
        """Per active call: the buffers of the rows that it shows by number."""

    def begin_call(self, row_buffers: Sequence[str]) -> None:
        """Begin a call, which uses the instances at constant addresses of its callers."""
        self._addresses.append({})
        self._row_buffers.append(row_buffers)

    def end_call(self) -> None:
        """End the innermost call."""
        self._addresses.pop()
        self._row_buffers.pop()

    def argument(self, argument: ir.BlockArgument) -> AbstractValue:
        """Return the value of an argument of an entry function."""
        if not is_memref(argument):
            return self._run.of(argument) if is_integer(argument.type) else None
        number = self._placing.arguments.get(argument)
        if number is not None:
            return self._lasting(number, argument)
        type_ = argument.type
        is_plain = isinstance(type_, ir.MemRefType) and type_.has_static_shape
        if not is_plain or argument in self._placing.bases:
            return frozenset()
        return frozenset({of_caller(argument.arg_number, ir.MemRefType(type_))})

    def buffer(self, op: AllocOp | AddressOp | memref.GetGlobalOp) -> None:
        """Begin a buffer, or bind a constant, a variable or a buffer of the caller."""
        if isinstance(op, AllocOp):
            self._allocate(op.memref)
        elif isinstance(op, AddressOp):
            if op.memref not in self._placing.bases:
                self._at_address(op.memref)
        else:
            number = self._placing.globals.get(op.name.value)
            type_ = ir.MemRefType(op.result.type)
            outside = frozenset({of_caller(0, type_)})
            self._values[op.result] = (
                outside if number is None else self._lasting(number, op.result)
            )

    def local(self, op: memref.AllocaOp) -> None:
        """Begin a local variable, which is in no pool."""
        self._values[op.memref] = frozenset({of_caller(0, ir.MemRefType(op.memref.type))})

    def row(self, op: RowOp) -> None:
        """Run a view of a row."""
        self._values[op.row] = self._uses.row_of(op)

    def dim(self, op: memref.DimOp) -> None:
        """Record a size, which a view has besides its bytes."""
        axis = self._run.of(op.index).constant
        references = self._values.get(op.source, frozenset())
        is_known = axis is not None and all(0 <= axis < len(r.shape) for r in references)
        self._learn(op.result, [r.shape[axis or 0] for r in references] if is_known else ())

    def view(self, op: ir.OpView, source: ir.Value, result: ir.Value) -> None:
        """Run a view; a view of a pool's base is the alloc of a buffer, or a lasting buffer."""
        number = self._placing.values.get(result)
        if number is None and isinstance(op, memref.ViewOp) and source in self._placing.bases:
            name = self._buffer_of_row(op)
            self._values[result] = self._uses.row_view(op, self._placing.bases[source], name)
        elif number is None:
            self._view_of(op, self._values.get(source, frozenset()), result)
        elif self._placing.buffers[number].role is Role.LASTING:
            self._values[result] = self._lasting(number, result)
        elif isinstance(source, ir.BlockArgument):
            self._allocate(result)
        else:
            self._at_address(result)

    def _buffer_of_row(self, op: memref.ViewOp) -> str:
        """Return the name of the buffer of which a view shows a row."""
        buffer = op.attributes[ROW_OF]
        if isinstance(buffer, ir.StringAttr):
            return buffer.value
        number, names = ir.IntegerAttr(buffer).value, self._row_buffers[-1]
        if not 0 <= number < len(names):
            raise RefusedError(
                op.location,
                f"'{op.operation.name}' shows a row of buffer {number} of the call, which does not "
                "name this buffer",
            )
        return names[number]

    def _view_of(self, op: ir.OpView, references: References, result: ir.Value) -> None:
        found = [viewed(op, reference, self._run) for reference in references]
        for reference in sorted(found):
            self._uses.check_view(op, reference)
        self._values[result] = frozenset(found)
        if isinstance(op, memref.ExtractStridedMetadataOp):
            known = [metadata(op, reference) for reference in references]
            for numbers in zip(op.results[1:], *known, strict=True):
                self._learn(numbers[0], numbers[1:])
        elif isinstance(op, memref.ReshapeOp):
            self._uses.check_shape(op)

    def _allocate(self, value: ir.Value) -> None:
        """Allocate a new instance of a buffer."""
        number = self._placing.values[value]
        for buffer in self._placing.numbers_of(number):
            for cell in self._uses.cells.of_buffer(buffer):
                self._uses.shadow.allocate(cell)
        self._values[value] = self._all_of(number, self._instances.take(), value)

    def _at_address(self, value: ir.Value) -> None:
        """Bind a buffer at a constant address: a callee uses the instance of its caller.

        The callee's type of these bytes may be another one.
        """
        place = self._placing.buffers[self._placing.values[value]].address_range
        type_ = ir.MemRefType(value.type)
        for made in reversed(self._addresses[:-1]):
            if place in made:
                self._values[value] = frozenset(
                    whole_buffer(it.buffer, it.instance, type_, it.size) for it in made[place]
                )
                self._uses.numbers.add(value)
                return
        self._allocate(value)
        self._addresses[-1][place] = self._values[value]

    def _lasting(self, number: int, value: ir.Value) -> References:
        """Return a reference to a buffer that is never allocated again."""
        return self._all_of(number, 0, value)

    def _all_of(self, number: int, instance: int, value: ir.Value) -> References:
        buffers = [self._placing.buffers[n] for n in self._placing.numbers_of(number)]
        size = sum(buffer.end - buffer.start for buffer in buffers)
        return frozenset({whole_buffer(number, instance, ir.MemRefType(value.type), size)})

    def _learn(self, value: ir.Value, forms: Sequence[LinearForm | None]) -> None:
        """Record that a value is one of several numbers."""
        known = [form for form in forms if form is not None]
        if len(known) < max(len(forms), 1):
            known = [self._numbers.unknown()]
        form = known[0]
        for other in known[1:]:
            form = self._numbers.either(form, other)
        self._run.known[value] = form


MEMREF_RULES: dict[type, Callable[[MemrefValues, Any], None]] = {
    AddressOp: MemrefValues.buffer,
    AllocOp: MemrefValues.buffer,
    RowOp: MemrefValues.row,
    memref.AllocaOp: MemrefValues.local,
    memref.DimOp: MemrefValues.dim,
    memref.GetGlobalOp: MemrefValues.buffer,
}
