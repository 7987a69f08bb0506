"""The values in the registers of devices: redundant settings removed, lost values set again.

A register holds one value at a time, while a program may use two values in turn::

    a = set(1)                       a = set(1)
    b = set(2)                       b = set(2)
    use(b)                           use(b)
    use(a)                           a = set(1)      again: `b` has overwritten it
    c = set(1)                       use(a)
    use(c)                           use(a)          not again: the register holds this value

The walk knows for each register the value that it holds, and for each buffer in a register the last
value that was set in it. At the head of a loop, a register holds what it held before the loop only
if the loop uses no other buffer in it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from mlir import ir
from mlir.dialects import func, scf

from forebay.dialects import accel
from forebay.dialects.memref_pool import AllocOp
from forebay.ir.identity import identity_of
from forebay.ir.liveness.memory_effects import MemoryEffect, MemoryEffects, conflict
from forebay.ir.locations import describe_location
from forebay.ir.memory.regions import is_inside
from forebay.ir.refused import RefusedError
from forebay.scheduling.moving import blocks_in, is_definition
from forebay.scheduling.register_uses import RegisterAccess, RegisterUses

_BRANCHES = (scf.IfOp, scf.IndexSwitchOp, scf.ExecuteRegionOp)
"""Ops whose regions run at most once. The regions of any other op may run repeatedly."""


@dataclass(frozen=True, eq=False)
class _RegisterValue:
    """A value that a register holds or held, set at `location`.

    An equal call of `setter` sets it again; None if that is not possible.
    """

    setter: accel.CallOp | None
    location: ir.Location


@dataclass(frozen=True)
class _State:
    """The values of registers, by name, and the last value of each buffer in a register."""

    held: dict[str, _RegisterValue] = field(default_factory=dict[str, _RegisterValue])
    last: dict[ir.Value, _RegisterValue] = field(default_factory=dict[ir.Value, _RegisterValue])

    def copy(self) -> _State:
        return _State(dict(self.held), dict(self.last))

    def set(self, access: RegisterAccess, value: _RegisterValue) -> None:
        self.held[access.register] = self.last[access.buffer] = value


class RegisterSetter:
    """Rewrites functions so that each register holds what its next use needs."""

    def __init__(self, uses: RegisterUses, effects: MemoryEffects) -> None:
        self._uses = uses
        self._effects = effects

    def rewrite(self, function: func.FuncOp) -> None:
        """Move, remove and repeat the calls of a function that set registers.

        Raises `RefusedError` for a use of a register that nothing has set, and for a value that is
        overwritten and cannot be set again.
        """
        for block in function.body.blocks:
            self._block(block, _State())

    # ---- The walk --------------------------------------------------------------------------------

    def _block(self, block: ir.Block, state: _State) -> None:
        for op in list(block.operations):
            if len(op.regions):
                self._nested(op, state)
            elif isinstance(op, accel.CallOp):
                if self._is_redundant(op, state):
                    self._effects.forget(op)
                    op.operation.erase()
                    continue
                self._call(op, state)
            elif isinstance(op, accel.LaunchOp):
                for access in self._uses.of(op):
                    if access.writes:
                        state.set(access, _RegisterValue(None, op.location))
            else:
                for register in self._uses.set_by_callees(op):
                    state.held.pop(register, None)
            self._note_writes(op, state)

    def _is_redundant(self, op: accel.CallOp, state: _State) -> bool:
        """Return whether the call only sets a register to the value that it holds."""
        access = self._set_only(op)
        if access is None:
            return False
        held = state.held.get(access.register)
        if held is None or held.setter is None or not _are_equal(held.setter, op):
            return False
        state.last[access.buffer] = held
        return True

    def _call(self, op: accel.CallOp, state: _State) -> None:
        accesses = self._uses.of(op)
        for access in accesses:
            if access.reads and _is_own(access.buffer):
                self._provide(access, op, state)
        can_repeat = self._set_only(op) is not None
        for access in accesses:
            if access.writes:
                state.set(access, _RegisterValue(op if can_repeat else None, op.location))

    def _provide(self, access: RegisterAccess, op: accel.CallOp, state: _State) -> None:
        """Set the register again in front of `op` if it does not hold the needed value."""
        what = f"operand '{access.name}' of @{op.callee.value}"
        needed = state.last.get(access.buffer)
        if needed is None:
            raise RefusedError(
                op.location,
                f"{what} needs the register @{access.register}, which nothing sets before",
            )
        if state.held.get(access.register) is needed:
            return
        reason = self._why_lost(needed, op)
        if reason is not None:
            raise RefusedError(
                op.location,
                f"{what} needs the value that register @{access.register} gets at "
                f"{describe_location(needed.location)}, but another value overwrites it before, "
                f"and it cannot be set again here: {reason}",
                [(needed.location, "the value is set here")],
            )
        assert needed.setter is not None
        with ir.InsertionPoint(op):
            needed.setter.operation.clone()
        state.held[access.register] = needed

    def _nested(self, op: ir.OpView, state: _State) -> None:
        """Walk the regions of an op."""
        if isinstance(op, scf.ForOp):
            self._hoist(op, state)
        accesses, called = self._uses.within(op), self._uses.set_by_callees(op)
        if not accesses and not called:
            return
        before = state.copy()
        if not isinstance(op, _BRANCHES):
            self._enter_loop(op, accesses, called, before)
        blocks = [block for region in op.operation.regions for block in region.blocks]
        ends = [before.copy() for _ in blocks]
        for block, end in zip(blocks, ends, strict=True):
            self._block(block, end)
        if not (isinstance(op, scf.IfOp) and len(blocks) == 2):
            ends.append(before)
        self._leave(op, accesses, called, ends, state)

    def _enter_loop(
        self,
        op: ir.OpView,
        accesses: Sequence[RegisterAccess],
        called: frozenset[str],
        state: _State,
    ) -> None:
        """Change the state to that at the head of any iteration."""
        self._note_writes(op, state)
        for register in called:
            state.held.pop(register, None)
        for access in accesses:
            known = state.last.get(access.buffer)
            if access.writes and known is not None:
                merged = _RegisterValue(None, op.location)
                if state.held.get(access.register) is known:
                    state.held[access.register] = merged
                state.last[access.buffer] = merged
        for access in accesses:
            if state.held.get(access.register) is not state.last.get(access.buffer):
                state.held.pop(access.register, None)

    def _leave(
        self,
        op: ir.OpView,
        accesses: Sequence[RegisterAccess],
        called: frozenset[str],
        ends: Sequence[_State],
        state: _State,
    ) -> None:
        """Change the state to that after an op, which is left in one of the states `ends`."""
        buffers: dict[str, dict[ir.Value, None]] = {register: {} for register in called}
        for access in accesses:
            buffers.setdefault(access.register, {})[access.buffer] = None
        for register, buffers_of_register in buffers.items():
            for buffer in buffers_of_register:
                known = {end.last.get(buffer) for end in ends}
                if len(known) == 1 and None not in known:
                    state.last[buffer] = known.pop()  # type: ignore[assignment]
                else:
                    state.last[buffer] = _RegisterValue(None, op.location)
            held = {end.held.get(register) for end in ends}
            value = held.pop() if len(held) == 1 else None
            if value is None:
                value = next(
                    (state.last[b] for b in buffers_of_register if _hold(ends, register, b)), None
                )
            if value is None:
                state.held.pop(register, None)
            else:
                state.held[register] = value

    # ---- Loops that set the same value in every iteration ----------------------------------------

    def _hoist(self, loop: scf.ForOp, state: _State) -> None:
        """Set a register in front of a loop in which all calls set it to the same value.

        The walk of the loop then removes the other calls.
        """
        called = self._uses.set_by_callees(loop)
        accesses: dict[str, list[RegisterAccess]] = {}
        for access in self._uses.within(loop):
            accesses.setdefault(access.register, []).append(access)
        for register, accesses_of_register in accesses.items():
            setters = [access.op for access in accesses_of_register if access.writes]
            first = accesses_of_register[0].op
            if register in called or not setters or first != setters[0]:
                continue
            if not isinstance(first, accel.CallOp) or not self._is_invariant(first, loop):
                continue
            if all(isinstance(op, accel.CallOp) and self._sets_same(first, op) for op in setters):
                for value in first.operands:
                    _move_in_front(value, loop)
                first.operation.move_before(loop.operation)
                if self._is_redundant(first, state):
                    self._effects.forget(first)
                    first.operation.erase()
                else:
                    self._call(first, state)

    def _sets_same(self, one: accel.CallOp, other: accel.CallOp) -> bool:
        return self._set_only(other) is not None and _are_equal(one, other)

    def _is_invariant(self, call: accel.CallOp, loop: scf.ForOp) -> bool:
        """Return whether each iteration runs the call, with the same inputs."""
        parent = call.operation.parent
        if parent is None or parent != loop.operation:
            return False
        if not all(_is_available(value, loop) for value in call.operands):
            return False
        written = [effect for effect in self._effects.effects_of(loop) if effect.writes]
        return not conflict(self._inputs_of(call), written)

    # ---- Values ----------------------------------------------------------------------------------

    def _set_only(self, op: accel.CallOp) -> RegisterAccess | None:
        """Return the access of a call that only sets one register, whatever was in it, or None."""
        uses = self._uses.of(op)
        is_only = len(uses) == 1 and len(op.outputs) == 1
        return uses[0] if is_only and not uses[0].reads and _is_own(uses[0].buffer) else None

    def _inputs_of(self, op: accel.CallOp) -> list[MemoryEffect]:
        return [effect for effect in self._effects.own_effects_of(op) if not effect.writes]

    def _note_writes(self, op: ir.OpView, state: _State) -> None:
        """Forget how to set a value again if the op writes what it was set from.

        The register holds the value all the same.
        """
        repeatable = [(v, v.setter) for v in state.held.values() if v.setter is not None]
        with_inputs = [(v, setter) for v, setter in repeatable if len(setter.inputs)]
        if not with_inputs:
            return
        written = [effect for effect in self._effects.effects_of(op) if effect.writes]
        for value, setter in with_inputs:
            if conflict(self._inputs_of(setter), written):
                kept = _RegisterValue(None, value.location)
                for known in (state.held, state.last):
                    for key in [key for key, found in known.items() if found is value]:
                        known[key] = kept  # type: ignore[index]

    def _why_lost(self, value: _RegisterValue, op: accel.CallOp) -> str | None:
        """Return why a value cannot be set again in front of an op, or None."""
        if value.setter is None:
            return "it depends on the path to here, or what it was set from has changed"
        read = self._inputs_of(value.setter)
        for between in _between(value.setter, op) if len(value.setter.inputs) else ():
            written = [effect for effect in self._effects.effects_of(between) if effect.writes]
            if conflict(read, written):
                return (
                    f"'{between.operation.name}' at {describe_location(between.location)} writes "
                    "what it was set from"
                )
        return None


def _hold(ends: Sequence[_State], register: str, buffer: ir.Value) -> bool:
    """Return whether the register holds the last value of the buffer in all states."""
    values = [(end.held.get(register), end.last.get(buffer)) for end in ends]
    return all(held is not None and held is last for held, last in values)


def _are_equal(one: accel.CallOp, other: accel.CallOp) -> bool:
    """Return whether two calls set the same value, if the memory that they read is the same."""
    same_inputs = list(one.inputs) == list(other.inputs)
    same_types = one.outputs[0].type == other.outputs[0].type
    is_same_call = one.callee == other.callee and one.config == other.config
    return is_same_call and same_inputs and same_types


def _is_own(buffer: ir.Value) -> bool:
    """Return whether a buffer is an allocation; any other is managed by the program itself."""
    return not isinstance(buffer.owner, ir.Block) and isinstance(buffer.owner.opview, AllocOp)


def _between(one: ir.OpView, other: ir.OpView) -> Iterator[ir.OpView]:
    """Yield the ops between `one` and `other`, whose block is that of `one` or inside of it.

    If `other` is inside of an op of the block, this op is the last one, since it may be a loop.
    """
    around = other.operation
    while around.block != one.operation.block:
        assert around.parent is not None  # what sets a value again dominates the use
        around = around.parent.operation
    is_behind = False
    for op in one.operation.block.operations:
        is_last = identity_of(op) == identity_of(around)
        if is_behind and not (is_last and around == other.operation):
            yield op
        if is_last:
            return
        is_behind = is_behind or identity_of(op) == identity_of(one)


def _is_available(value: ir.Value, loop: scf.ForOp) -> bool:
    """Return whether a value is, or can be, defined in front of the loop."""
    if not is_inside(value, loop):
        return True
    if isinstance(value.owner, ir.Block):
        return False
    op = value.owner.opview
    parent = op.operation.parent
    if parent is None or parent != loop.operation or not is_definition(op):
        return False
    return all(_is_available(operand, loop) for operand in op.operands)


def _move_in_front(value: ir.Value, loop: scf.ForOp) -> None:
    """Move the definition of an available value in front of the loop, if it is inside."""
    if is_inside(value, loop):
        op = value.owner.operation
        for operand in op.operands:
            _move_in_front(operand, loop)
        op.move_before(loop.operation)


def remove_unused(function: func.FuncOp, uses: RegisterUses, effects: MemoryEffects) -> None:
    """Remove calls that set a register which the next call in their block sets without using it."""
    for block in list(blocks_in(function)):
        _remove_unused_in(block, uses, effects)


def _remove_unused_in(block: ir.Block, uses: RegisterUses, effects: MemoryEffects) -> None:
    unused: dict[str, accel.CallOp] = {}
    for op in list(block.operations):
        if len(op.regions) or isinstance(op, func.CallOp):
            unused.clear()
            continue
        accesses = uses.of(op)
        for access in accesses:
            earlier = unused.pop(access.register, None)
            if earlier is not None and access.writes and not access.reads:
                effects.forget(earlier)
                earlier.operation.erase()
        if not isinstance(op, accel.CallOp) or not len(accesses) == len(op.outputs) == 1:
            continue
        if accesses[0].writes and not accesses[0].reads:
            unused[accesses[0].register] = op
