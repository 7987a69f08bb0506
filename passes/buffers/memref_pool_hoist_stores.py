"""memref-pool-hoist-stores: store state, results, and what has no room in a device early."""

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from itertools import accumulate
from typing import ClassVar

from mlir import ir
from mlir.dialects import memref

from forebay.dialects import memref_pool
from forebay.ir.interfaces import viewed_by
from forebay.ir.liveness.liveness import Liveness, liveness_of
from forebay.ir.liveness.memory_effects import MemoryEffects, conflict
from forebay.ir.locations import operator_of
from forebay.ir.machine.pools import bytes_of, candidates_of, pools_in
from forebay.ir.memory.underlying import Base
from forebay.ir.memory.underlying_buffers import UnderlyingBuffer, entry_functions, result_arguments
from forebay.ir.module import module_of
from forebay.ir.views.queries import is_pure_view
from forebay.passes._pass import Pass
from forebay.planning import Kind
from forebay.pools import Pool


class MemrefPoolHoistStores(Pass):
    """Move copies into state variables and results up, to where the new value is complete.

    `memref-pool-carry-state` stores all new values at the end of the function, and results are
    copied to the caller's memory when the function returns. So the source of each copy would be
    live until the end. After bufferization all memory effects are explicit. Therefore each store
    moves to the point directly after the last op that writes what the store reads or that accesses
    what the store writes, for example the last read of the old value or a wait for it. A copy into
    a result stays at the end if the pool of the result has less capacity than the pool of the
    source.

    If the live bytes of a pool inside of a device exceed its capacity, other copies out of this
    pool move up, too, after the last other use of their source. So parts of a tensor that a device
    computes one by one leave its memory one by one, also where the program puts them together only
    at the end.
    """

    name: ClassVar[str] = "memref-pool-hoist-stores"

    def run(self, op: ir.Operation) -> None:
        """Move the stores of every public function, in order."""
        module = module_of(op)
        liveness = liveness_of(module)
        state = _state(liveness.buffers)
        effects, pools = MemoryEffects(module), pools_in(op)
        full = _full_pools(liveness, pools)
        for function in entry_functions(module):
            results = frozenset[Base](result_arguments(function))
            for nested in list(function.entry_block.operations):
                if not isinstance(nested, memref_pool.CopyOp):
                    continue
                if _is_into(state, nested, effects) or (
                    _is_into(results, nested, effects) and _has_more_room(nested, pools)
                ):
                    _hoist(nested, effects)
                elif _is_out_of(full, nested) and _has_more_room(nested, pools):
                    _hoist_behind_uses(nested, effects)


def _full_pools(liveness: Liveness, pools: Mapping[str, Pool]) -> frozenset[str]:
    """Return the pools inside of devices whose live bytes exceed their capacity at some point."""
    changes: dict[str, Counter[int]] = defaultdict(Counter)
    for buffer, lifetime in zip(liveness.buffers, liveness.lifetimes, strict=True):
        names = candidates_of(buffer.type)
        if len(names) == 1 and pools[names[0]].local:
            size = bytes_of(buffer.type)
            for span in lifetime:
                changes[names[0]][span.start] += size
                changes[names[0]][span.end] -= size
    full: set[str] = set()
    for name, change in changes.items():
        usable = pools[name].usable
        live = accumulate(change[point] for point in sorted(change))
        if usable is not None and any(size > usable for size in live):
            full.add(name)
    return frozenset(full)


def _is_out_of(full: frozenset[str], copy: memref_pool.CopyOp) -> bool:
    """Return whether a copy brings something out of the pools that have no room for it."""
    sources = candidates_of(copy.source.type)
    return (
        bool(sources)
        and full.issuperset(sources)
        and full.isdisjoint(candidates_of(copy.target.type))
    )


def _state(roots: Sequence[UnderlyingBuffer]) -> frozenset[Base]:
    """Return the memory that keeps its content from run to run."""
    found: set[Base] = set()
    for root in roots:
        if root.kind is Kind.STATE:
            found |= {argument.value for argument in root.arguments}
            if isinstance(root.op, memref.GlobalOp):
                found.add(f"@{root.op.sym_name.value}")
    return frozenset(found)


def _is_into(known: frozenset[Base], copy: memref_pool.CopyOp, effects: MemoryEffects) -> bool:
    targets = effects.underlying.objects_of(copy.target)
    return bool(targets) and targets <= known


def _has_more_room(copy: memref_pool.CopyOp, pools: Mapping[str, Pool]) -> bool:
    """Return whether the target's pool is at least as large as the source's.

    The caller's memory has no limit.
    """
    source, target = (_room(value.type, pools) for value in (copy.source, copy.target))
    return target is None or (source is not None and source <= target)


def _room(type_: ir.Type, pools: Mapping[str, Pool]) -> int | None:
    """Return the bytes of the largest candidate pool, or None if there is no limit."""
    capacities = [pools[name].capacity for name in candidates_of(type_)]
    known = [capacity for capacity in capacities if capacity is not None]
    return max(known) if known and len(known) == len(capacities) else None


def _hoist(store: memref_pool.CopyOp, effects: MemoryEffects) -> None:
    """Move a store after the operator that completes what it reads, or uses what it writes."""
    moving = [*_views_behind(store.source), *_views_behind(store.target), store]
    body = [op for op in store.operation.block.operations if op not in moving[:-1]]
    place = _first_place(body, moving, effects)
    while body[place] != store and _are_one_operator(body[place - 1], body[place]):
        place += 1
    _move_to(body[place], moving)


def _hoist_behind_uses(copy: memref_pool.CopyOp, effects: MemoryEffects) -> None:
    """Move a copy, and the allocation of its target, after the last other use of its source."""
    moving = [*_views_behind(copy.source), *_definitions_behind(copy.target), copy]
    body = [op for op in copy.operation.block.operations if op not in moving[:-1]]
    read = [effect for effect in effects.effects_of(copy) if effect.reads]
    place, first = body.index(copy), _first_place(body, moving, effects)
    while place > first and not any(
        one.may_overlap(other) for one in effects.effects_of(body[place - 1]) for other in read
    ):
        place -= 1
    _move_to(body[place], moving)


def _first_place(body: Sequence[ir.OpView], moving: list[ir.OpView], effects: MemoryEffects) -> int:
    """Return the first place in a block at which the store, the last of `moving`, may run."""
    place = body.index(moving[-1])
    while place > 0 and _may_pass(moving, body[place - 1], effects):
        place -= 1
    return place


def _move_to(anchor: ir.OpView, moving: Sequence[ir.OpView]) -> None:
    """Move the ops that are after an op in front of it."""
    for op in moving:
        if op != anchor and anchor.operation.is_before_in_block(op.operation):
            op.move_before(anchor)


def _are_one_operator(first: ir.OpView, second: ir.OpView) -> bool:
    operator = operator_of(first.location)
    return operator is not None and operator == operator_of(second.location)


def _views_behind(value: ir.Value) -> list[ir.OpView]:
    """Return the views from the buffer to the value, the one next to the buffer first."""
    if isinstance(value.owner, ir.Block):
        return []
    op = value.owner.opview
    if isinstance(op, memref.GetGlobalOp):
        return [op]
    source = viewed_by(op) if is_pure_view(op) else None
    return [] if source is None else [*_views_behind(source), op]


def _definitions_behind(value: ir.Value) -> list[ir.OpView]:
    """Return the allocation of a value and the views from it to the value, if they are ops."""
    views = _views_behind(value)
    base = viewed_by(views[0]) if views else value
    if base is None or isinstance(base.owner, ir.Block):
        return views
    op = base.owner.opview
    return [op, *views] if isinstance(op, memref_pool.AllocOp) else views


def _may_pass(moving: list[ir.OpView], op: ir.OpView, effects: MemoryEffects) -> bool:
    """Return whether the store, the last of `moving`, may run before `op`.

    It must not run before an op that defines one of its operands, reads or writes the old value,
    writes the new value, or waits for an operation that does.
    """
    used = [operand for moved in moving for operand in moved.operands]
    if any(result in used for result in op.results):
        return False
    return not conflict(effects.effects_of(op), effects.effects_of(moving[-1]))
