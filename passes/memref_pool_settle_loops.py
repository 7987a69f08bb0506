"""memref-pool-settle-loops: what a loop carries stays in one buffer."""

from dataclasses import dataclass
from typing import ClassVar

from mlir import ir
from mlir.dialects import bufferization, scf

from forebay.ir.nested import ops_nested_in
from forebay.ir.storage import is_tensor, last_op, ties_of
from forebay.passes._pass import Pass


@dataclass(frozen=True)
class MemrefPoolSettleLoops(Pass):
    """Write what `scf.for` and `scf.while` yield back into the buffer that they carry.

    A static plan gives a loop's value one address, so an iteration must leave its result where the
    next one looks for it. Tensors that are computed in place are left alone; any other is stored
    into the carried tensor by `bufferization.materialize_in_destination` at the end of the
    iteration.
    """

    name: ClassVar[str] = "memref-pool-settle-loops"
    dialects: ClassVar[tuple[str, ...]] = ("bufferization",)

    def run(self, op: ir.Operation) -> None:
        """Visit every loop, inner ones first."""
        for nested in reversed(ops_nested_in(op)):
            _settle(nested)


def _settle(loop: ir.OpView) -> None:
    if isinstance(loop, scf.ForOp):
        _store_back(last_op(loop.body), 0, list(loop.inner_iter_args))
    elif isinstance(loop, scf.WhileOp):
        before, after = (region.blocks[0] for region in loop.regions)
        _store_back(last_op(before), 1, list(before.arguments))
        _store_back(last_op(after), 0, list(after.arguments))


def _store_back(terminator: ir.OpView, first: int, carried: list[ir.Value]) -> None:
    """Make the operands of `terminator` from `first` on equivalent to the carried tensors."""
    operands = list(terminator.operands)[first:]
    for index, (value, target) in enumerate(zip(operands, carried, strict=False)):
        if not is_tensor(target) or value.type != target.type or _is_in_place(value, target):
            continue
        with ir.InsertionPoint(terminator), terminator.location:
            stored = bufferization.MaterializeInDestinationOp(target.type, value, target)
        terminator.operands[first + index] = stored.results[0]


def _is_in_place(value: ir.Value, target: ir.Value) -> bool:
    """Whether `value` is `target` itself after operations that overwrite it in its place."""
    while value != target:
        if isinstance(value.owner, ir.Block):
            return False
        destination = _destination_of(value)
        if destination is None:
            return False
        value = destination
    return True


def _destination_of(result: ir.Value) -> ir.Value | None:
    op = result.owner.opview
    if isinstance(op, scf.ForOp):
        first = len(op.operands) - len(op.results)
        return op.operands[first + list(op.results).index(result)]
    for tie in ties_of(op):
        if tie.value == result and not tie.view:
            return op.operands[tie.operand]
    return None
