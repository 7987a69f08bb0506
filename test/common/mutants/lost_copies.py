"""Miscompilations of a copy: it is lost, comes at the wrong time, or is of another buffer."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from mlir import ir

COPIES = ("accel.move", "accel.start", "memref.copy", "memref_pool.copy")


@dataclass(frozen=True)
class Mutant:
    """A change of a module, which says what it is."""

    kind: str
    change: Callable[[ir.Module], bool]
    """Changes a module in place; False where that gives no valid module."""


def mutants_of(module: ir.Module) -> Iterator[Mutant]:
    """Every change of every copy of a module."""
    for number, op in enumerate(_ops(module)):
        if op.name not in COPIES:
            continue
        if not op.results:
            yield Mutant("lost", _at(number, _erase))
        yield Mutant("too early", _at(number, _earlier))
        yield Mutant("too late", _at(number, _later))
        yield Mutant("in front of the loop", _at(number, _in_front))
        yield Mutant("behind the loop", _at(number, _behind))
        yield Mutant("from another buffer", _at(number, lambda op: _redirect(op, 0)))
        yield Mutant("into another buffer", _at(number, lambda op: _redirect(op, 1)))


def _ops(module: ir.Module) -> list[ir.Operation]:
    """All ops of functions, in order."""
    found: list[ir.Operation] = []

    def visit(op: ir.Operation) -> ir.WalkResult:
        if op.name == "accel.intrinsic":
            return ir.WalkResult.SKIP
        found.append(op)
        return ir.WalkResult.ADVANCE

    module.operation.walk(visit, ir.WalkOrder.PRE_ORDER)
    return found


def _at(number: int, change: Callable[[ir.Operation], bool]) -> Callable[[ir.Module], bool]:
    def changed(module: ir.Module) -> bool:
        if not change(_ops(module)[number]):
            return False
        try:
            return module.operation.verify()
        except ir.MLIRError:
            return False

    return changed


def _erase(op: ir.Operation) -> bool:
    op.erase()
    return True


def _neighbour(op: ir.Operation, step: int) -> ir.Operation | None:
    """The op beside it, in its block, with which it can change places as values go."""
    ops = [other.operation for other in op.block.operations]
    place = ops.index(op) + step
    if not 0 <= place < len(ops) - 1:
        return None
    return ops[place]


def _earlier(op: ir.Operation) -> bool:
    """In front of the last op that is not a view or a number."""
    other = _neighbour(op, -1)
    if other is None:
        return False
    op.move_before(other)
    return True


def _later(op: ir.Operation) -> bool:
    other = _neighbour(op, 1)
    if other is None:
        return False
    op.move_after(other)
    return True


def _in_front(op: ir.Operation) -> bool:
    loop = op.parent
    if loop is None or loop.operation.name != "scf.for":
        return False
    op.move_before(loop.operation)
    return True


def _behind(op: ir.Operation) -> bool:
    loop = op.parent
    if loop is None or loop.operation.name != "scf.for":
        return False
    op.move_after(loop.operation)
    return True


def _redirect(op: ir.Operation, operand: int) -> bool:
    """To the nearest buffer of the same type that is made in front of it."""
    given = op.operands[operand]
    for other in reversed([o.operation for o in op.block.operations]):
        if other == op or not other.is_before_in_block(op):
            continue
        for result in other.results:
            if result.type == given.type and result != given:
                op.operands[operand] = result
                return True
    return False
