"""Memory effects of ops through calls, arguments and views: which ops may change places.

A call has the effects of its callee on the operands of the call. The lifetimes of what the callee
allocates end when it returns. An operation that is in flight may use its buffers until a wait, so a
wait has the effects of all operations that are started anywhere in the module.

A register of a device is one object, whichever buffers are in it: two accesses to it never change
places if one of them sets it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from mlir import ir
from mlir.dialects import func
from mlir.dialects.builtin import ModuleOp
from msgspec import Struct
from msgspec.structs import replace

from forebay.dialects import accel
from forebay.ir.identity import identity_of
from forebay.ir.machine.devices import host_of
from forebay.ir.machine.pools import candidates_of, registers_in
from forebay.ir.memory.access_constraints import access_constraints_of
from forebay.ir.memory.function_cache import FunctionCache
from forebay.ir.memory.operand_effects import OperandEffect, operand_effects_of
from forebay.ir.memory.reduce_regions import OperandBox, operand_boxes_of
from forebay.ir.memory.regions import (
    AccessRegion,
    IndexRange,
    access_region_of,
    extent_over_loops,
)
from forebay.ir.memory.underlying import (
    Base,
    ObjectSet,
    UnderlyingObjects,
)
from forebay.ir.memory.underlying_buffers import functions_in
from forebay.ir.module import function_around
from forebay.ir.nested import ops_in, ops_nested_in, ops_of

_MEMREFS = (ir.MemRefType, ir.UnrankedMemRefType)


class MemoryEffect(Struct, frozen=True, eq=False):
    """The effect of `op` on a region of one of several objects.

    If `region` is None, the effect may be on any part of the objects. `objects` are the underlying
    objects in the whole module; None means any. `bases` are these objects as seen in the function
    around the op.
    """

    op: ir.OpView
    bases: ObjectSet
    objects: ObjectSet
    region: AccessRegion | None
    reads: bool
    writes: bool
    is_in_register: bool = False
    """Whether the object is a register of a device, of which there is only one."""

    def may_alias(self, other: MemoryEffect) -> bool:
        """Return whether both may access the same object."""
        return self.objects is None or other.objects is None or bool(self.objects & other.objects)

    def may_overlap(self, other: MemoryEffect) -> bool:
        """Return whether both may access the same element, in one run of the block around them."""
        if self.region is None or other.region is None:
            return self.may_alias(other)
        return self.may_alias(other) and self.region.may_overlap(other.region)

    def conflicts(self, other: MemoryEffect) -> bool:
        """Return whether the order matters: they may overlap, and one of them writes."""
        return (self.writes or other.writes) and self.may_overlap(other)


class _Access(Struct, frozen=True):
    """A function's effect on a box of an argument (by index) or a global, or on all of it."""

    base: int | str
    box: tuple[IndexRange, ...] | None
    reads: bool
    writes: bool


class _Summary(Struct, frozen=True):
    """The effects of a function's calls on memory that outlives them; `waits`: it may wait."""

    accesses: tuple[_Access, ...]
    waits: bool


class MemoryEffects:
    """The effects of a module's ops, found when they are asked for and then kept.

    A pass that creates or replaces a buffer calls `invalidate` for the function before it asks
    again.
    """

    def __init__(self, module: ModuleOp) -> None:
        self.underlying = UnderlyingObjects(module)
        self._host = host_of(module)
        self._functions = {f.sym_name.value: f for f in functions_in(module)}
        self._symbols = ir.SymbolTable(module.operation)
        self._registers = registers_in(module.operation)
        self._signatures: dict[str, tuple[OperandEffect, ...]] = {}
        self._regions = FunctionCache[AccessRegion]()
        self._own: dict[int, tuple[MemoryEffect, ...]] = {}
        self._summaries: dict[str, _Summary | None] = {}
        self._in_flight: tuple[MemoryEffect, ...] | None = None

    def effects_of(self, op: ir.OpView) -> list[MemoryEffect]:
        """Return the effects of an op and of all ops inside it."""
        if not len(op.regions):
            return list(self.own_effects_of(op))
        return [effect for inner in ops_in(op) for effect in self.own_effects_of(inner)]

    def effects_in(self, ops: Iterable[ir.OpView]) -> Iterator[MemoryEffect]:
        """Yield the effects of several ops, in their order."""
        for op in ops:
            yield from self.effects_of(op)

    def own_effects_of(self, op: ir.OpView) -> tuple[MemoryEffect, ...]:
        """Return the effects of an op without those of the ops in its regions."""
        key = identity_of(op)
        known = self._own.get(key)
        if known is None:
            known = self._own[key] = tuple(self._find(op))
        return known

    def forget(self, op: ir.OpView) -> None:
        """Remove the op from the cache: it will be erased, and another op may get its address."""
        self._own.pop(identity_of(op), None)

    def invalidate(self, function: func.FuncOp) -> None:
        """Forget what depends on the ops of a function, because they were rewritten.

        What follows from another function alone is kept. What follows through calls is found again
        when it is asked for.
        """
        self.underlying.invalidate(function)
        self._regions.invalidate(function)
        self._own.clear()
        self._summaries.clear()
        self._in_flight = None

    def region_of(self, value: ir.Value) -> AccessRegion | None:
        """Return the region of its base that a memref shows, or None for other values."""
        if not isinstance(value.type, ir.MemRefType):
            return None
        return self._regions.get(value, access_region_of)

    @property
    def in_flight(self) -> tuple[MemoryEffect, ...]:
        """Return the effects of operations that are started anywhere and may not have ended."""
        if self._in_flight is None:
            self._in_flight = tuple(
                effect
                for function in self._functions.values()
                for op in ops_of(function, accel.StartOp, accel.LaunchOp)
                for effect in self.own_effects_of(op)
            )
        return self._in_flight

    def is_local_to(self, function: func.FuncOp, effect: MemoryEffect) -> bool:
        """Return whether the effect is invisible outside of the function.

        The function's own allocations are invisible. The memory of its arguments and globals may be
        read later.
        """
        return effect.objects is not None and all(
            isinstance(base, ir.Value)
            and not isinstance(base.owner, ir.Block)
            and function_around(base.owner.opview) == function
            for base in effect.objects
        )

    # ---- Of one op -------------------------------------------------------------------------------

    def _find(self, op: ir.OpView) -> Iterator[MemoryEffect]:
        if isinstance(op, func.CallOp):
            yield from self._of_call(op)
        elif isinstance(op, func.CallIndirectOp):
            yield MemoryEffect(op, None, None, None, reads=True, writes=True)
        elif isinstance(op, accel.WaitOp):
            yield from self._waited_for(op)
        elif any(isinstance(value.type, _MEMREFS) for value in (*op.operands, *op.results)):
            boxes = operand_boxes_of(op) if isinstance(op, accel.ReduceOp) else {}
            for access in self._accesses(op):
                value = op.results[0] if access.operand is None else op.operands[access.operand]
                found = self._of_value(op, value, reads=access.reads, writes=access.writes)
                box = None if access.operand is None else boxes.get(access.operand)
                yield from found if box is None else (_part(effect, box) for effect in found)

    def _waited_for(self, op: ir.OpView) -> Iterator[MemoryEffect]:
        """Yield the effects of all in-flight operations as those of the wait.

        Their objects are not bases of the function around the wait.
        """
        for reads in (True, False):
            objects = [e.objects for e in self.in_flight if (e.reads if reads else e.writes)]
            if objects:
                known = None if None in objects else frozenset[Base]().union(*filter(None, objects))
                yield MemoryEffect(op, frozenset(), known, None, reads, not reads)

    def _accesses(self, op: ir.OpView) -> Iterable[OperandEffect]:
        if isinstance(op, (accel.MoveOp, accel.StartOp)):
            return (OperandEffect(0, reads=True), OperandEffect(1, writes=True))
        if isinstance(op, (accel.CallOp, accel.LaunchOp)):
            name = op.callee.value
            if name not in self._signatures:
                self._signatures[name] = self._signature(name)
            return self._signatures[name]
        return operand_effects_of(op)

    def _signature(self, name: str) -> tuple[OperandEffect, ...]:
        intrinsic = self._symbols[name]
        assert isinstance(intrinsic, accel.IntrinsicOp)
        operands = [accel.OperandAttr(operand) for operand in intrinsic.signature]
        access = [o.access for o in operands if o.access == "in"]
        access += [o.access for o in operands if o.access != "in"]
        return tuple(OperandEffect(n, a != "out", a != "in") for n, a in enumerate(access))

    def _of_value(
        self, op: ir.OpView, value: ir.Value, *, reads: bool, writes: bool
    ) -> Iterator[MemoryEffect]:
        register = self._register_of(value)
        if register is not None:
            object_ = frozenset[Base]((f"@{register}",))
            yield MemoryEffect(op, object_, object_, None, reads, writes, is_in_register=True)
        elif isinstance(value.type, _MEMREFS):
            bases = self.underlying.bases_of(value)
            objects = self.underlying.objects_behind(bases)
            yield MemoryEffect(op, bases, objects, self.region_of(value), reads, writes)

    def _register_of(self, value: ir.Value) -> str | None:
        """Return the register that a memref is in, or None."""
        pools = candidates_of(value.type)
        return pools[0] if len(pools) == 1 and pools[0] in self._registers else None

    # ---- Of calls --------------------------------------------------------------------------------

    def _of_call(self, op: func.CallOp) -> Iterator[MemoryEffect]:
        callee = self._functions[op.callee.value]
        if callee.is_external:
            for constraint in access_constraints_of(op, self._host):
                reads, writes = constraint.reads, constraint.writes
                yield from self._of_value(op, constraint.value, reads=reads, writes=writes)
            return
        summary = self._summary_of(callee)
        if summary is None:
            yield MemoryEffect(op, None, None, None, reads=True, writes=True)
            return
        for access in summary.accesses:
            yield self._handed_over(op, access)
        if summary.waits:
            yield from self._waited_for(op)

    def _handed_over(self, op: func.CallOp, access: _Access) -> MemoryEffect:
        if isinstance(access.base, str):
            bases: ObjectSet = frozenset((access.base,))
            region = AccessRegion(access.base, access.box)
            is_in_register = access.base.removeprefix("@") in self._registers
            return MemoryEffect(
                op, bases, bases, region, access.reads, access.writes, is_in_register
            )
        value = op.operands[access.base]
        bases, whole = self.underlying.bases_of(value), self.region_of(value)
        region = None if whole is None else whole.part(access.box)
        objects = self.underlying.objects_behind(bases)
        return MemoryEffect(op, bases, objects, region, access.reads, access.writes)

    def _summary_of(self, function: func.FuncOp) -> _Summary | None:
        """Return the effects of calls, or None where the function may do anything (recursion)."""
        name = function.sym_name.value
        if name not in self._summaries:
            self._summaries[name] = None
            self._summaries[name] = self._summarise(function)
        return self._summaries[name]

    def _summarise(self, function: func.FuncOp) -> _Summary | None:
        found: dict[tuple[int | str, bool], tuple[IndexRange, ...] | None] = {}
        waits = False
        for op in ops_nested_in(function):
            if isinstance(op, accel.WaitOp):
                waits = True
                continue
            for effect in self.own_effects_of(op):
                if effect.bases is None:
                    return None
                for key, box in _accesses(effect):
                    found[key] = _hull(found[key], box) if key in found else box
            if isinstance(op, func.CallOp):
                inner = self._summaries.get(op.callee.value)
                waits = waits or (inner is not None and inner.waits)
        accesses = (_Access(base, box, not w, w) for (base, w), box in found.items())
        return _Summary(tuple(accesses), waits)


def _part(effect: MemoryEffect, box: OperandBox) -> MemoryEffect:
    """Return the effect on a box of the memref only."""
    region = None if effect.region is None else effect.region.part(box)
    return replace(effect, region=region)


def _accesses(
    effect: MemoryEffect,
) -> Iterator[tuple[tuple[int | str, bool], tuple[IndexRange, ...] | None]]:
    """Yield per argument or global, and per read or write, the box that is accessed."""
    assert effect.bases is not None
    for base in effect.bases:
        key = _known_outside(base)
        if key is None:
            continue
        region = effect.region
        box = extent_over_loops(region) if region is not None and region.base == base else None
        if effect.reads:
            yield (key, False), box
        if effect.writes:
            yield (key, True), box


def _known_outside(base: Base) -> int | str | None:
    if isinstance(base, str):
        return base
    return ir.BlockArgument(base).arg_number if isinstance(base.owner, ir.Block) else None


def _hull(
    one: tuple[IndexRange, ...] | None, other: tuple[IndexRange, ...] | None
) -> tuple[IndexRange, ...] | None:
    """Return the least box around two boxes of constant bounds."""
    if one is None or other is None or len(one) != len(other):
        return None
    bounds = [
        (
            min(a.begin.constant, b.begin.constant),
            max(a.begin.constant + a.extent, b.begin.constant + b.extent),
        )
        for a, b in zip(one, other, strict=True)
    ]
    return tuple(IndexRange.fixed(low, high - low) for low, high in bounds)


def conflict(effects: Iterable[MemoryEffect], others: Sequence[MemoryEffect]) -> bool:
    """Return whether an effect of one list conflicts with an effect of the other."""
    return any(one.conflicts(other) for one in effects for other in others)
