"""memref-pool-settle-loops: keep each value that a loop carries in one buffer."""

from collections.abc import Sequence
from typing import ClassVar

from mlir import ir
from mlir.dialects import bufferization, scf

from forebay.ir.assign.ports import empty_like
from forebay.ir.carried import Aliases, Save, is_handed_over, is_in_place, stores_in_order
from forebay.ir.memory.storage import is_tensor, last_op
from forebay.ir.nested import memory_ops_in, ops_of
from forebay.passes._pass import Pass


class MemrefPoolSettleLoops(Pass):
    """Write what `scf.for` and `scf.while` yield back into the buffer that they carry.

    A static plan gives a loop-carried value one address, so each iteration must leave its result
    where the next one reads it. The pass does not change tensors that are computed in place. At the
    end of the iteration it stores any other tensor into the carried tensor by
    `bufferization.materialize_in_destination`. If values change places, it stores them in an order
    in which none is overwritten before it is stored; in a cycle it saves one value in a temporary.
    """

    name: ClassVar[str] = "memref-pool-settle-loops"
    dialects: ClassVar[tuple[str, ...]] = ("bufferization", "tensor")

    def run(self, op: ir.Operation) -> None:
        """Visit every loop, inner loops first."""
        aliases = Aliases(memory_ops_in(op))
        loops: list[scf.ForOp | scf.WhileOp] = ops_of(op, scf.ForOp, scf.WhileOp)
        for loop in reversed(loops):
            _settle(loop, aliases)


def _settle(loop: scf.ForOp | scf.WhileOp, aliases: Aliases) -> None:
    if isinstance(loop, scf.ForOp):
        stored = _store_back(last_op(loop.body), 0, list(loop.inner_iter_args), aliases)
        first = len(loop.operands) - len(loop.results)
    else:
        before, after = (region.blocks[0] for region in loop.regions)
        stored = _store_back(last_op(before), 1, list(before.arguments), aliases)
        stored |= _store_back(last_op(after), 0, list(after.arguments), aliases)
        first = 0
    for index in sorted(stored):
        _own(loop, first + index)


def _store_back(
    terminator: ir.OpView, first: int, carried: Sequence[ir.Value], aliases: Aliases
) -> set[int]:
    """Make the operands of `terminator` from `first` on equivalent to the carried tensors.

    Returns the indices of those that are stored.
    """
    values = {
        index: value
        for index, (value, target) in enumerate(
            zip(list(terminator.operands)[first:], carried, strict=False)
        )
        if is_tensor(target) and value.type == target.type and not is_in_place(value, target)
    }
    index_of = {carried[index]: index for index in values}
    sources = {
        index: {index_of[found] for found in aliases.among(value, index_of)}
        for index, value in values.items()
    }
    with ir.InsertionPoint(terminator), terminator.location:
        for step in stores_in_order(sources):
            target = carried[step.target]
            place = empty_like(target) if isinstance(step, Save) else target
            values[step.target] = _stored(values[step.target], place)
    for index, value in values.items():
        terminator.operands[first + index] = value
    return set(values)


def _own(loop: ir.OpView, operand: int) -> None:
    """Pass a copy to the loop if the initial value is needed after the loop begins."""
    if is_handed_over(loop, operand):
        return
    value = loop.operands[operand]
    with ir.InsertionPoint(loop), loop.location:
        loop.operands[operand] = _stored(value, empty_like(value))


def _stored(value: ir.Value, place: ir.Value) -> ir.Value:
    return bufferization.MaterializeInDestinationOp(place.type, value, place).results[0]
