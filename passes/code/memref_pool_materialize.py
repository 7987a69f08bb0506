"""memref-pool-materialize: turn the plan into views of pool bases, in upstream ops only."""

from collections.abc import Mapping, Sequence
from typing import ClassVar

from mlir import ir
from mlir.dialects import arith, func, memref
from msgspec import Struct

from forebay.dialects.memref_pool import AddressOp, AllocOp, PlacementAttr, RowOp, SpaceAttr
from forebay.ir.liveness.liveness import Liveness, liveness_of
from forebay.ir.machine.mapped import check_mapped
from forebay.ir.machine.pools import bytes_of, pool_ops, pools_in
from forebay.ir.memory.underlying_buffers import UnderlyingBuffer, functions_in
from forebay.ir.module import module_of
from forebay.ir.nested import ops_of
from forebay.ir.problem.planned_values import (
    AnyPlacement,
    NamedRows,
    PlannedValues,
    planned_placement_of,
    planned_values,
)
from forebay.ir.rows.layout import is_rows, row_type_of
from forebay.ir.rows.row_offsets import (
    ROW_BUFFERS,
    ROW_NUMBER,
    ROW_OF,
    ROW_TABLE,
)
from forebay.lowering.rows.addresses import (
    RowTables,
    constant_row_number,
    offset_by_table,
    offset_of_row,
)
from forebay.lowering.rows.shared_rows import SharedRows, has_equal_offsets, shared_rows_in
from forebay.passes._pass import Pass, PassError
from forebay.planning import Kind, Placement
from forebay.pools import Pool

_SIGNATURE = frozenset({"function_type", "sym_name", "sym_visibility", "arg_attrs"})

_Bases = Mapping[str, ir.MemRefType]
"""Types of the pool bases by pool name, in the module's order."""


class MemrefPoolMaterialize(Pass):
    """Address every planned buffer as a `memref.view` of its pool's base at a constant offset.

    Each function takes the pools that it uses as leading arguments, in the order in which the
    module declares them, as `memref<PEAKxi8, #memref_pool.space<@pool>> {memref_pool.base}`.
    Allocs, pooled globals and pooled arguments of entry functions become views. Memory spaces are
    narrowed to the chosen pool. The globals of constant pools stay, because they hold the bytes;
    the globals of state pools are erased. A buffer in a pool inside of a device becomes a
    `memref_pool.address`: such a pool has no base, and no function takes it as an argument. A pool
    that the host addresses at a constant base is no argument either: its base is a
    `memref_pool.address`. A row of a buffer with `#memref_pool.rows` becomes a view at an offset
    that arithmetic on its index gives or, where the offsets are irregular, a private constant
    `memref.global` of offsets; no function takes such a buffer as an argument. Where calls pass
    different buffers, the function takes the table of offsets instead, and each call has the names
    of its buffers in `memref_pool.row_buffers`.
    """

    name: ClassVar[str] = "memref-pool-materialize"
    dialects: ClassVar[tuple[str, ...]] = ("arith", "func", "memref", "memref_pool")

    def run(self, op: ir.Operation) -> None:
        """Rewrite in place."""
        module = module_of(op)
        liveness = liveness_of(module)
        placements = [planned_placement_of(root) for root in liveness.buffers]
        _narrow(liveness, placements)
        pools = pools_in(op)
        planned = planned_values(module, liveness, placements, pools)
        bases = _base_types(liveness, placements, pools)
        check_mapped(pool_ops(op), {name: type_.shape[0] for name, type_ in bases.items()})
        mapped = {name: type_ for name, type_ in bases.items() if pools[name].is_mapped}
        handed = {name: type_ for name, type_ in bases.items() if name not in mapped}
        bodies = {
            function.sym_name.value: _body_of(function, planned)
            for function in functions_in(module)
        }
        needed = {name: _bases_needed(body, bodies, handed) for name, body in bodies.items()}
        tables = RowTables(module)
        for body in bodies.values():
            for call in body.calls:
                _retype_declaration(bodies[call.callee.value].function, call)
        for body in bodies.values():
            if not body.function.is_external:
                _rewrite(body, bodies, needed, mapped, _Rows(planned.rows, tables))
        for root in liveness.buffers:
            if root.kind is Kind.STATE and isinstance(root.op, memref.GlobalOp):
                root.op.erase()


class _ShownRow(Struct, frozen=True):
    """An op that shows a row, the buffers that the row may be of, and the argument if several."""

    op: RowOp
    buffers: tuple[NamedRows, ...]
    shared: SharedRows | None


class _Body(Struct, frozen=True):
    """The parts of a function that the pass rewrites: its planned values and its calls.

    `types` has the new type of each argument, or None if it does not stay an argument, `shared`
    those arguments that are rows of one of several buffers.
    """

    function: func.FuncOp
    placements: Mapping[ir.Value, Placement]
    rows: tuple[_ShownRow, ...]
    allocated_rows: tuple[AllocOp, ...]
    calls: tuple[func.CallOp, ...]
    types: tuple[ir.Type | None, ...]
    shared: Mapping[int, SharedRows]

    @property
    def pools(self) -> set[str]:
        """The names of the pools of the buffers and rows that the function addresses."""
        rows = (row.buffers[0].placement for row in self.rows)
        return {placement.pool for placement in (*self.placements.values(), *rows)}


class _Rows(Struct, frozen=True):
    """The buffers that each memref of rows may be, and the constant tables of a module."""

    buffers: Mapping[ir.Value, tuple[NamedRows, ...]]
    tables: RowTables


def _narrow(liveness: Liveness, placements: Sequence[AnyPlacement]) -> None:
    """Give every memref and every global its one pool as the memory space."""
    for value, roots in liveness.aliases.items():
        pools = sorted({placements[root].pool for root in roots})
        if len(pools) > 1:
            raise PassError(
                value.location,
                f"a memref may lie in {' and in '.join(f'@{pool}' for pool in pools)}, but an "
                "address is in one pool; give all buffers that it stands for one candidate",
            )
        for pool in pools:
            value.set_type(_in_pool(ir.MemRefType(value.type), pool))
    for root, placement in zip(liveness.buffers, placements, strict=True):
        if isinstance(root.op, memref.GlobalOp):
            root.op.type_ = ir.TypeAttr.get(_in_pool(root.type, placement.pool))


def _in_pool(type_: ir.MemRefType, pool: str) -> ir.MemRefType:
    return ir.MemRefType.get(type_.shape, type_.element_type, type_.layout, SpaceAttr.get([pool]))


def _base_types(
    liveness: Liveness, placements: Sequence[AnyPlacement], pools: Mapping[str, Pool]
) -> _Bases:
    """Return the type of each used pool's base: its rows up to the last row of a buffer."""
    peaks: dict[str, int] = {}
    for root, placement in zip(liveness.buffers, placements, strict=True):
        unit = pools[placement.pool].unit
        end = -(-_end(root, placement) // unit) * unit
        peaks[placement.pool] = max(peaks.get(placement.pool, 0), end)
    i8 = ir.IntegerType.get_signless(8)
    return {
        name: ir.MemRefType.get([peaks[name]], i8, memory_space=SpaceAttr.get([name]))
        for name, pool in pools.items()
        if name in peaks and not pool.local
    }


def _end(root: UnderlyingBuffer, placement: AnyPlacement) -> int:
    """Return the end of the last byte of a buffer or of its rows."""
    if isinstance(placement, Placement):
        return placement.offset + bytes_of(root.type)
    return max(placement.offsets) + bytes_of(row_type_of(root.type))


def _body_of(function: func.FuncOp, planned: PlannedValues) -> _Body:
    placements = (
        {}
        if function.is_external
        else {
            argument: planned.values[argument]
            for argument in function.arguments
            if argument in planned.values
        }
    )
    calls: list[func.CallOp] = []

    shared = {} if function.is_external else shared_rows_in(function, planned.rows)
    rows: list[_ShownRow] = []
    allocated_rows: list[AllocOp] = []

    ops: list[ir.OpView] = ops_of(function, AllocOp, RowOp, memref.GetGlobalOp, func.CallOp)
    for op in ops:
        if isinstance(op, AllocOp) and is_rows(op.memref.type):
            allocated_rows.append(op)
        elif isinstance(op, AllocOp):
            placements[op.memref] = planned.values[op.memref]
        elif isinstance(op, RowOp):
            buffers = planned.rows[op.source]
            argument = ir.BlockArgument(op.source).arg_number if len(buffers) > 1 else -1
            rows.append(_ShownRow(op, buffers, shared.get(argument)))
        elif isinstance(op, memref.GetGlobalOp) and op.name.value in planned.globals:
            placements[op.result] = planned.globals[op.name.value]
        elif isinstance(op, func.CallOp):
            calls.append(op)
    types: list[ir.Type | None] = list(function.type.inputs)
    if not function.is_external:
        types = [_new_type(it, placements, shared.get(it.arg_number)) for it in function.arguments]
    return _Body(
        function, placements, tuple(rows), tuple(allocated_rows), tuple(calls), tuple(types), shared
    )


def _new_type(
    argument: ir.BlockArgument, placements: Mapping[ir.Value, Placement], shared: SharedRows | None
) -> ir.Type | None:
    """Return the type of an argument, or that of its table; None if it does not stay one."""
    if shared is not None:
        return shared.type
    return None if argument in placements or is_rows(argument.type) else argument.type


def _bases_needed(body: _Body, bodies: Mapping[str, _Body], bases: _Bases) -> _Bases:
    """Return the bases that a function and all its callees need, in the module's order."""
    used: set[str] = set()
    pending, seen = [body], set[str]()
    while pending:
        current = pending.pop()
        used |= current.pools
        for call in current.calls:
            if call.callee.value not in seen:
                seen.add(call.callee.value)
                pending.append(bodies[call.callee.value])
    return {pool: type_ for pool, type_ in bases.items() if pool in used}


def _retype_declaration(callee: func.FuncOp, call: func.CallOp) -> None:
    """Give a function without a body the argument types of its caller."""
    if callee.is_external:
        inputs = [operand.type for operand in call.operands]
        type_ = ir.FunctionType.get(inputs, callee.type.results)
        callee.attributes["function_type"] = ir.TypeAttr.get(type_)


def _rewrite(
    body: _Body,
    bodies: Mapping[str, _Body],
    needed: Mapping[str, _Bases],
    mapped: _Bases,
    rows: _Rows,
) -> None:
    """Move the body into a function that takes the bases and no planned argument."""
    old = body.function
    new = _with_bases(body, needed)
    block = new.entry_block
    for op in list(old.entry_block.operations):
        block.append(op)
    bases: dict[str, ir.Value] = dict(
        zip(needed[old.sym_name.value], block.arguments, strict=False)
    )
    given: dict[int, ir.Value] = dict(
        zip(
            (number for number, type_ in enumerate(body.types) if type_ is not None),
            list(block.arguments)[len(bases) :],
            strict=True,
        )
    )
    for number, after in given.items():
        if number not in body.shared:
            old.arguments[number].replace_all_uses_with(after)
    for call in body.calls:
        passed = [bases[pool] for pool in needed[call.callee.value]]
        _pass_bases(call, passed, bodies[call.callee.value], rows)
    entry = block.operations[0]
    bases |= _addresses(body, mapped, entry)
    for value, placement in body.placements.items():
        _replace(value, placement, bases.get(placement.pool), entry)
    for row in body.rows:
        _replace_row(row, given, bases, rows.tables)
    for alloc in body.allocated_rows:
        _erase_rows(alloc)
    old.erase()


def _replace_row(
    row: _ShownRow, given: Mapping[int, ir.Value], bases: Mapping[str, ir.Value], tables: RowTables
) -> None:
    """Replace a row by a view of the base; `given` are the function's arguments by number."""
    op, first = row.op, row.buffers[0]
    pool = first.placement.pool
    if pool not in bases:
        raise PassError(
            op.location,
            f"a row lies in pool @{pool} inside of a device, where an address is one constant; "
            "keep the rows in memory of the host, or the buffer in one piece",
        )
    i64 = ir.IntegerType.get_signless(64)
    shared = row.shared
    with ir.InsertionPoint(op), op.location:
        if shared is None or has_equal_offsets(op, row.buffers):
            offset = offset_of_row(op, first.placement.offsets, tables)
        else:
            table = given[ir.BlockArgument(op.source).arg_number]
            offset = offset_by_table(op, table, shared.unit)
        view = memref.ViewOp(op.row.type, bases[pool], offset, [])
    view.attributes[ROW_OF] = (
        ir.StringAttr.get(first.name)
        if shared is None
        else ir.IntegerAttr.get(i64, shared.position)
    )
    number = constant_row_number(op)
    if number is not None:
        view.attributes[ROW_NUMBER] = ir.IntegerAttr.get(i64, number)
    op.row.replace_all_uses_with(view.result)
    op.erase()


def _erase_rows(op: AllocOp) -> None:
    for use in op.memref.uses:
        raise PassError(
            use.owner.location,
            f"'{use.owner.name}' takes a buffer of rows as a whole after its rows have got their "
            "places; run accel-lower-reduce first, or use memref_pool.row",
            [(op.location, "the buffer")],
        )
    op.erase()


def _with_bases(body: _Body, needed: Mapping[str, _Bases]) -> func.FuncOp:
    """Return an empty copy of a function, with pool bases before the arguments that stay."""
    old, bases = body.function, needed[body.function.sym_name.value]
    types: list[ir.Type] = list(bases.values())
    locations = [ir.Location.name(pool, old.location) for pool in bases]
    attributes = [ir.DictAttr.get({"memref_pool.base": ir.UnitAttr.get()})] * len(bases)
    for argument, type_ in zip(old.arguments, body.types, strict=True):
        number, location = argument.arg_number, argument.location
        if type_ is None:
            continue
        types.append(type_)
        if number in body.shared:
            unit = ir.IntegerAttr.get(ir.IntegerType.get_signless(64), body.shared[number].unit)
            locations.append(ir.Location.name("rows", location))
            attributes.append(ir.DictAttr.get({ROW_TABLE: unit}))
        else:
            locations.append(location)
            attributes.append(ir.DictAttr(old.arg_attrs[number]))
    with ir.InsertionPoint(old), old.location:
        new = func.FuncOp(old.sym_name.value, (types, old.type.results))
    for name, attribute in old.attributes.items():
        if name not in _SIGNATURE or name == "sym_visibility":
            new.attributes[name] = attribute
    new.arg_attrs = attributes
    new.add_entry_block(locations)
    return new


def _addresses(body: _Body, mapped: _Bases, entry: ir.OpView) -> dict[str, ir.Value]:
    """Make the bases of the pools at constant addresses at the beginning of the function.

    Returns the base by the pool's name, only for pools that the function uses.
    """
    found: dict[str, ir.Value] = {}
    for name in (name for name in mapped if name in body.pools):
        location = ir.Location.name(name, body.function.location)
        with ir.InsertionPoint(entry), location:
            found[name] = AddressOp(mapped[name], PlacementAttr.get(name, 0)).memref
    return found


def _replace(
    value: ir.Value, placement: Placement, base: ir.Value | None, entry: ir.OpView
) -> None:
    """Replace a buffer by a view of a base or, inside of a device, by its address.

    The new op stands at the allocation; for an argument it stands at the beginning of the function.
    """
    owner = None if isinstance(value, ir.BlockArgument) else value.owner
    with ir.InsertionPoint(owner or entry), value.location:
        if base is None:
            found = AddressOp(
                value.type, PlacementAttr.get(placement.pool, placement.offset)
            ).memref
        else:
            offset = arith.ConstantOp(ir.IndexType.get(), placement.offset)
            found = memref.ViewOp(value.type, base, offset, []).result
    value.replace_all_uses_with(found)
    if owner is not None:
        owner.erase()


def _pass_bases(call: func.CallOp, bases: Sequence[ir.Value], callee: _Body, rows: _Rows) -> None:
    """Pass the bases, the operands that stay, and tables for rows of one of several buffers."""
    operands, names = list(bases), list[ir.Attribute]()
    with ir.InsertionPoint(call), call.location:
        for number, (operand, type_) in enumerate(zip(call.operands, callee.types, strict=True)):
            shared = callee.shared.get(number)
            if shared is None:
                operands += [] if type_ is None else [operand]
                continue
            (buffer,) = rows.buffers[operand]
            names.append(ir.StringAttr.get(buffer.name))
            if type_ is not None:
                operands.append(rows.tables.get(shared.tables[buffer.name], operand))
        results = [result.type for result in call.results]
        new = func.CallOp(results, call.callee.value, operands)
        if names:
            new.attributes[ROW_BUFFERS] = ir.ArrayAttr.get(names)
    for before, after in zip(call.results, new.results, strict=True):
        before.replace_all_uses_with(after)
    call.erase()
