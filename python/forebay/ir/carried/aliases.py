"""Which tensors a tensor may share its storage with, going backwards."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator

from mlir import ir
from mlir.dialects import scf

from forebay.ir.memory.storage import alias_constraints_of, is_tensor


class Aliases:
    """The ties of all operations of a module, from each tensor to the operands it may come from.

    Calls are followed without telling them apart, so what comes out of a function may share
    storage with what any of its callers hands in: never too few, sometimes too many. What a loop
    gives is in the storage that it carries, as it is once the loop is settled.
    """

    def __init__(self, ops: Iterable[ir.OpView]) -> None:
        self._sources: dict[ir.Value, list[ir.Value]] = {}
        for op in ops:
            for tie in alias_constraints_of(op):
                operand = tie.op.operands[tie.operand]
                if is_tensor(operand):
                    self._add(tie.value, operand)
            for value, carried in _settled(op):
                self._add(value, carried)

    def _add(self, value: ir.Value, source: ir.Value) -> None:
        self._sources.setdefault(value, []).append(source)

    def among(self, value: ir.Value, candidates: Collection[ir.Value]) -> set[ir.Value]:
        """Those of the candidates whose storage the value may have; it ends at each of them."""
        found: set[ir.Value] = set()
        seen = {value}
        waiting = [value]
        while waiting:
            at = waiting.pop()
            if at in candidates:
                found.add(at)
                continue
            for source in self._sources.get(at, ()):
                if source not in seen:
                    seen.add(source)
                    waiting.append(source)
        return found


def _settled(op: ir.OpView) -> Iterator[tuple[ir.Value, ir.Value]]:
    """What is in the storage of a loop's carried tensors once values are stored back."""
    if isinstance(op, scf.ForOp):
        yield from zip(op.results, op.inner_iter_args, strict=True)
    elif isinstance(op, scf.WhileOp):
        before, after = (region.blocks[0].arguments for region in op.regions)
        yield from zip(op.results, before, strict=False)
        yield from zip(after, before, strict=False)
