"""Collector of placed buffers: from attributes or, in a materialised module, from views."""

from __future__ import annotations

import math

from mlir import ir
from mlir.dialects import arith, func, memref
from mlir.dialects.builtin import ModuleOp

from forebay.dialects.memref_pool import AddressOp, AllocOp, PlacementAttr, RowsAttr, SpaceAttr
from forebay.ir.locations import name_hint, operator_of
from forebay.ir.machine.pools import pools_in
from forebay.ir.nested import memory_ops_in
from forebay.ir.plan_check.buffers.placed import FIRST_GROUP, PlacedBuffer, PlacedBuffers, Role
from forebay.ir.plan_check.rows.row_loops import ROW_OF, has_rows
from forebay.ir.refused import RefusedError
from forebay.pools import PoolKind


def placed_in(module: ModuleOp) -> PlacedBuffers:
    """Return the buffers of a planned or materialised module.

    Raises `RefusedError` for a buffer without a placement, and for an access to bytes of a pool
    that is not a view at a constant offset.
    """
    collector = _Collector(module)
    for op in module.body.operations:
        if isinstance(op, memref.GlobalOp):
            collector.add_global(op)
    for op in module.body.operations:
        if isinstance(op, func.FuncOp) and len(op.body.blocks):
            collector.add_function(op)
    if has_rows(module):
        collector.cut_into_rows()
    return collector.placing


class _Collector:
    def __init__(self, module: ModuleOp) -> None:
        self.placing = PlacedBuffers()
        self._pools = pools_in(module.operation)
        self._lasting: dict[tuple[str, int, int], int] = {}
        self._state: dict[str, int] = {}

    def add_global(self, op: memref.GlobalOp) -> None:
        type_ = ir.MemRefType(op.type_.value)
        if not _candidates(type_):
            return
        name = _name(op.location) or op.sym_name.value
        place = op.attributes.get("memref_pool.placement")
        buffer = self._placed(name, type_, op.location, place, _alignment(op.alignment))
        number = self.placing.add(buffer)
        self.placing.globals[op.sym_name.value] = number
        self._lasting[buffer.address_range] = number

    def add_function(self, function: func.FuncOp) -> None:
        for argument in function.arguments:
            attributes = _entries(function.arg_attrs[argument.arg_number])
            if "memref_pool.base" in attributes:
                self.placing.bases[argument] = _only_pool(argument)
            elif _is_entry(function) and _candidates(argument.type):
                self._add_argument(function, argument, attributes)
        for op in memory_ops_in(function):
            if isinstance(op, AllocOp):
                self._add_alloc(op)
            elif isinstance(op, AddressOp) and self._pools[op.placement.pool].is_mapped:
                self.placing.bases[op.memref] = op.placement.pool
            elif isinstance(op, AddressOp):
                self._add_address(op)
            elif self.placing.bases:
                self._check_bases(op)
                if isinstance(op, memref.ViewOp) and op.source in self.placing.bases:
                    if ROW_OF in op.attributes:
                        self.placing.shows_rows = True
                    else:
                        self._add_view(op)

    def _add_argument(
        self,
        function: func.FuncOp,
        argument: ir.BlockArgument,
        attributes: dict[str, ir.Attribute],
    ) -> None:
        name = _name(argument.location) or f"arg{argument.arg_number}"
        if "accel.name" in attributes:
            name = ir.StringAttr(attributes["accel.name"]).value
        place = attributes.get("memref_pool.placement")
        role = Role.OUTPUT if "bufferize.result" in attributes else Role.INPUT
        buffer = self._placed(
            name,
            ir.MemRefType(argument.type),
            function.location,
            place,
            role=role,
            entry=function.sym_name.value,
        )
        self.placing.arguments[argument] = self._number_of_argument(buffer)

    def _number_of_argument(self, buffer: PlacedBuffer) -> int:
        """Return the number of a buffer; state of one name and place is one for all functions."""
        if buffer.role is not Role.LASTING:
            return self.placing.add(buffer)
        known = self._state.get(buffer.name)
        if known is not None and self.placing.buffers[known].address_range == buffer.address_range:
            return known
        self._state[buffer.name] = self.placing.add(buffer)
        return self._state[buffer.name]

    def _add_alloc(self, op: AllocOp) -> None:
        name = _name(op.location) or "buffer"
        type_ = ir.MemRefType(op.memref.type)
        if isinstance(type_.layout, RowsAttr):
            self._add_rows(op, type_, type_.layout.dims)
            return
        pinned = None if op.pinned is None else (op.pinned.pool, op.pinned.offset)
        alignment = _alignment(op.alignment)
        buffer = self._placed(name, type_, op.location, op.placement, alignment, pinned=pinned)
        self.placing.values[op.memref] = self.placing.add(buffer)

    def _add_rows(self, op: AllocOp, type_: ir.MemRefType, dims: int) -> None:
        """Add a buffer for each row; a row is aligned as its elements, if nothing else is said."""
        name = _name(op.location) or "buffer"
        place, pinned = op.row_placement, op.pinned_rows
        if place is None:
            raise RefusedError(
                op.location, f"the rows of '{name}' have no places; run memref-pool-plan first"
            )
        row = ir.MemRefType.get(
            type_.shape[dims:], type_.element_type, None, type_.memory_space, loc=op.location
        )
        alignment = _alignment(op.alignment) or 1
        rows = range(len(self.placing.buffers), len(self.placing.buffers) + len(place.offsets))
        for number, offset in enumerate(place.offsets):
            pin = None if pinned is None else (pinned.pool, pinned.offsets[number])
            at = PlacementAttr.get(place.pool, offset, op.context)
            buffer = self._placed(f"{name}[{number}]", row, op.location, at, alignment, pinned=pin)
            self.placing.unwritten.add(self.placing.add(buffer))
        self.placing.values[op.memref] = FIRST_GROUP - len(self.placing.groups)
        self.placing.groups.append(rows)

    def cut_into_rows(self) -> None:
        """Mark the rows of contiguous buffers of the workspace one by one."""
        declared = (*self.placing.values.items(), *self.placing.arguments.items())
        for value, number in declared:
            if number <= FIRST_GROUP or self.placing.buffers[number].role is Role.LASTING:
                continue
            buffer = self.placing.buffers[number]
            shape = ir.MemRefType(value.type).shape
            outer = next((axis for axis, size in enumerate(shape[:-1]) if size > 1), None)
            if outer is not None:
                self.placing.row_bytes[number] = (buffer.end - buffer.start) // shape[outer]
                if not isinstance(value.owner, ir.Block) and isinstance(
                    value.owner.opview, AllocOp
                ):
                    self.placing.unwritten.add(number)

    def _add_address(self, op: AddressOp) -> None:
        """Add bytes inside a device that a materialised program uses as a buffer."""
        type_ = ir.MemRefType(op.memref.type)
        buffer = self._placed(_name(op.location) or "address", type_, op.location, op.placement)
        self.placing.values[op.memref] = self.placing.add(buffer)

    def _add_view(self, op: memref.ViewOp) -> None:
        """Add bytes of a pool that a materialised program uses as a buffer."""
        shift = op.byte_shift.owner
        if not isinstance(shift, arith.ConstantOp):
            raise RefusedError(
                op.location,
                "a view of a pool needs a constant offset; leave planning to the passes",
            )
        place = PlacementAttr.get(self.placing.bases[op.source], ir.IntegerAttr(shift.value).value)
        type_ = ir.MemRefType(op.result.type)
        buffer = self._placed(_name(op.location) or "view", type_, op.location, place)
        self._check_inside(buffer, ir.MemRefType(op.source.type))
        if buffer.role is not Role.LASTING:
            self.placing.values[op.result] = self.placing.add(buffer)
            return
        if buffer.address_range not in self._lasting:
            if self._pools[buffer.pool].kind is PoolKind.constant:
                raise RefusedError(
                    op.location, f"no constant lies at {buffer.span} of pool @{buffer.pool}"
                )
            self._lasting[buffer.address_range] = self.placing.add(buffer)
        self.placing.values[op.result] = self._lasting[buffer.address_range]

    def _check_inside(self, buffer: PlacedBuffer, base: ir.MemRefType) -> None:
        if buffer.end > _bytes(base, buffer.location):
            raise RefusedError(
                buffer.location,
                f"the view takes bytes {buffer.span} of pool @{buffer.pool}, whose base is {base}",
            )

    def _check_bases(self, op: ir.OpView) -> None:
        """Raise `RefusedError` for a use of a base by any op except a view or a call."""
        if isinstance(op, func.CallOp | memref.ViewOp):
            return
        for operand in op.operands:
            if operand in self.placing.bases:
                raise RefusedError(
                    op.location,
                    f"'{op.operation.name}' uses the base of pool @{self.placing.bases[operand]}; "
                    "only a memref.view makes a buffer of it",
                )

    def _placed(
        self,
        name: str,
        type_: ir.MemRefType,
        location: ir.Location,
        place: ir.Attribute | None,
        alignment: int | None = None,
        *,
        pinned: tuple[str, int] | None = None,
        role: Role = Role.TEMPORARY,
        entry: str = "",
    ) -> PlacedBuffer:
        if not isinstance(place, PlacementAttr):
            raise RefusedError(
                location, f"buffer '{name}' has no place; run memref-pool-plan first"
            )
        if place.pool not in self._pools:
            raise RefusedError(
                location, f"buffer '{name}' lies in @{place.pool}, which is no pool of the module"
            )
        if self._pools[place.pool].kind is not PoolKind.workspace:
            role = Role.LASTING
        end = place.offset + _bytes(type_, location)
        return PlacedBuffer(
            name,
            role,
            place.pool,
            place.offset,
            end,
            location,
            _candidates(type_),
            _element_bytes(type_, location),
            alignment,
            pinned,
            entry,
        )


def _entries(dictionary: ir.Attribute) -> dict[str, ir.Attribute]:
    entries = ir.DictAttr(dictionary)
    return {entries[i].name: entries[i].attr for i in range(len(entries))}


def _is_entry(function: func.FuncOp) -> bool:
    visibility = function.sym_visibility
    return visibility is None or visibility.value == "public"


def _only_pool(value: ir.Value) -> str:
    return _candidates(value.type)[0]


def _candidates(type_: ir.Type) -> tuple[str, ...]:
    space = type_.memory_space if isinstance(type_, ir.MemRefType) else None
    return space.pools if isinstance(space, SpaceAttr) else ()


def _alignment(attribute: ir.IntegerAttr | None) -> int | None:
    return None if attribute is None else attribute.value


def _bytes(type_: ir.MemRefType, location: ir.Location) -> int:
    return math.prod(type_.shape) * _element_bytes(type_, location)


def _element_bytes(type_: ir.MemRefType, location: ir.Location) -> int:
    element = type_.element_type
    if isinstance(element, ir.IntegerType | ir.FloatType) and type_.has_static_shape:
        return (element.width + 7) // 8
    raise RefusedError(
        location, f"the size of {type_} is not known, so its bytes cannot be checked"
    )


def _name(location: ir.Location) -> str | None:
    operator = operator_of(location)
    return name_hint(location) or (None if operator is None else operator.tensor)
