"""memref-pool-hoist-stores: state is stored as soon as nobody needs its old value."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

from mlir import ir
from mlir.dialects import linalg, memref

from forebay.dialects import accel, memref_pool
from forebay.ir.liveness import liveness_of
from forebay.ir.locations import operator_of
from forebay.ir.module import module_of
from forebay.ir.nested import ops_nested_in
from forebay.ir.op_classes import VIEW_OPS
from forebay.ir.roots import entry_functions
from forebay.passes._pass import Pass
from forebay.planning import Kind

Aliases = Mapping[ir.Value, frozenset[int]]
Storage = frozenset[int | ir.Value]
"""Buffers by their numbers, and memory of the caller by the argument that it comes in."""


@dataclass(frozen=True)
class MemrefPoolHoistStores(Pass):
    """Move copies into state variables up, to just behind the last use of the old value.

    `memref-pool-carry-state` stores all new values at the end of the function, which keeps what
    they are copied from alive until then. Behind bufferization every use is in sight, so each store
    moves to where the new value is complete and the old one has been read for the last time.
    """

    name: ClassVar[str] = "memref-pool-hoist-stores"

    def run(self, op: ir.Operation) -> None:
        """Move the stores of every public function, first ones first."""
        liveness = liveness_of(module_of(op))
        aliases: Aliases = liveness.aliases
        state = {i for i, root in enumerate(liveness.roots) if root.kind is Kind.STATE}
        for function in entry_functions(module_of(op)):
            for nested in list(function.entry_block.operations):
                if isinstance(nested, memref_pool.CopyOp) and _is_store(nested, aliases, state):
                    _hoist(nested, aliases)


def _is_store(copy: memref_pool.CopyOp, aliases: Aliases, state: set[int]) -> bool:
    targets = aliases.get(copy.target, frozenset[int]())
    return bool(targets) and targets <= state


def _hoist(store: memref_pool.CopyOp, aliases: Aliases) -> None:
    moving = [*_views_behind(store.source), *_views_behind(store.target), store]
    body = [op for op in store.operation.block.operations if op not in moving[:-1]]
    place = body.index(store)
    while place > 0 and _may_pass(moving, body[place - 1], aliases):
        place -= 1
    while body[place] != store and _are_one_operator(body[place - 1], body[place]):
        place += 1
    anchor = body[place]
    for op in moving:
        if op != anchor and anchor.operation.is_before_in_block(op.operation):
            op.move_before(anchor)


def _are_one_operator(first: ir.OpView, second: ir.OpView) -> bool:
    operator = operator_of(first.location)
    return operator is not None and operator == operator_of(second.location)


def _views_behind(value: ir.Value) -> list[ir.OpView]:
    """The views through which the value shows its buffer, the first one first."""
    if isinstance(value.owner, ir.Block):
        return []
    op = value.owner.opview
    if isinstance(op, memref.GetGlobalOp):
        return [op]
    return [*_views_behind(op.operands[0]), op] if isinstance(op, VIEW_OPS) else []


def _may_pass(moving: list[ir.OpView], op: ir.OpView, aliases: Aliases) -> bool:
    """Whether the store, the last of `moving`, may run before `op`."""
    store = moving[-1]
    assert isinstance(store, memref_pool.CopyOp)
    used = [operand for moved in moving for operand in moved.operands]
    if any(result in used for result in op.results):
        return False
    old, new = _storage([store.target], aliases), _storage([store.source], aliases)
    return not (_touched(op, aliases) & old) and not (_written(op, aliases) & new)


def _touched(op: ir.OpView, aliases: Aliases) -> Storage:
    """Memory that the operation, or one inside it, has to do with."""
    operands = [value for inner in (op, *ops_nested_in(op)) for value in inner.operands]
    return _storage(operands, aliases)


def _written(op: ir.OpView, aliases: Aliases) -> Storage:
    """Memory that the operation may write; all it touches unless its destinations are known."""
    if isinstance(op, (linalg.GenericOp, linalg.FillOp)):
        return _storage(list(op.outputs), aliases)
    if isinstance(op, accel.CallOp):
        return _storage(list(op.outputs), aliases)
    if isinstance(op, accel.ReduceOp):
        return _storage([op.output], aliases)
    if isinstance(op, (memref.CopyOp, memref_pool.CopyOp)):
        return _storage([op.operands[1]], aliases)
    if isinstance(op, memref.LoadOp):
        return frozenset()
    return _touched(op, aliases)


def _storage(values: list[ir.Value], aliases: Aliases) -> Storage:
    return frozenset[int | ir.Value]().union(*(_storage_of(value, aliases) for value in values))


def _storage_of(value: ir.Value, aliases: Aliases) -> Storage:
    roots = aliases.get(value)
    if roots:
        return roots
    if isinstance(value.owner, ir.Block):
        return frozenset({value})
    op = value.owner.opview
    return _storage_of(op.operands[0], aliases) if isinstance(op, VIEW_OPS) else frozenset()
