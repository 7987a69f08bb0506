"""Backward analysis: which tensors a tensor may share its storage with."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator

from mlir import ir
from mlir.dialects import scf

from forebay.ir.memory.storage import alias_constraints_of, is_tensor


class Aliases:
    """The alias constraints of all operations of a module, from each tensor to its source operands.

    The analysis of calls is context-insensitive: a result of a function may share storage with the
    arguments of any of its callers. The answer never omits a tensor and sometimes has too many. The
    result of a loop is in the storage of the carried tensor, as it is after
    `memref-pool-settle-loops`.
    """

    def __init__(self, ops: Iterable[ir.OpView]) -> None:
        """Examine the ops, which must be all of a module with tensors as operands or results."""
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
        """Return the candidates whose storage the value may share.

        The search does not continue beyond a candidate.
        """
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
    """Yield pairs of a loop's values that share storage once carried values are stored back."""
    if isinstance(op, scf.ForOp):
        yield from zip(op.results, op.inner_iter_args, strict=True)
    elif isinstance(op, scf.WhileOp):
        before, after = (region.blocks[0].arguments for region in op.regions)
        yield from zip(op.results, before, strict=False)
        yield from zip(after, before, strict=False)
