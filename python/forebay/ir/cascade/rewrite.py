"""Segments of a cascade plan as loops over ticks in the place of their ops.

::

    scf.for %t = 0 to 34 {                      producer: rate 1, skew 0; consumer: rate 2, skew 2
      %in = %t < 32
      scf.if %in { producer at row %t }
      %u = %t - 2
      %on = %u >= 0 and %u rem 2 == 0
      scf.if %on { consumer at row %u div 2 }
    }
"""

from __future__ import annotations

from collections.abc import Sequence

from mlir import ir
from mlir.dialects import arith, scf

from forebay.cascade.in_place import merged_in_place
from forebay.cascade.schedule import Segment
from forebay.dialects.memref_pool import SpaceAttr
from forebay.ir.cascade.free_rows import free_rows, make_free
from forebay.ir.cascade.row_graph import IrRowGraph, RowOp
from forebay.ir.cascade.step import make_accumulators, run_step
from forebay.ir.interfaces import is_view
from forebay.ir.rows.row_offsets import BY_ROWS


def compute_in_place(found: IrRowGraph) -> IrRowGraph:
    """Let results that can be in the rows of an operand use its buffer; return the new graph.

    The operand's buffer is replaced where the result is an argument.
    """
    graph, roots = merged_in_place(found.graph)
    bases = list(found.bases)
    for result, operand in roots.items():
        kept, other = bases[operand], bases[result]
        if isinstance(kept, str) or isinstance(other, str):
            raise TypeError("a global is computed in place")
        if isinstance(other.owner, ir.Block):
            kept, other = other, kept
        other.replace_all_uses_with(kept)
        other.owner.erase()
        bases[operand] = bases[result] = kept
    return IrRowGraph(graph, tuple(bases), found.ops)


def rewrite_segments(found: IrRowGraph, segments: Sequence[Segment], pool: str) -> None:
    """Replace the ops of each segment by rows by its loop."""
    loops = [segment for segment in segments if segment.by_rows]
    by_rows = {n for segment in loops for n in range(segment.start, segment.stop)}
    for alloc in free_rows(found, by_rows):
        make_free(alloc)
    for segment in loops:
        _rewrite(found.ops[segment.start : segment.stop], segment, pool)


def _rewrite(ops: Sequence[RowOp], segment: Segment, pool: str) -> None:
    last = ops[-1].op
    space = SpaceAttr.get([pool])
    with ir.InsertionPoint(last), ir.Location.unknown():
        waiting = [
            [] if each.split is None else make_accumulators(each.op, each.split, space)
            for each in ops
        ]
        loop = scf.ForOp(_index(0), _index(segment.ticks), _index(1))
        loop.operation.attributes[BY_ROWS] = ir.UnitAttr.get()
        with ir.InsertionPoint(loop.body):
            for each, rate, skew, accumulators in zip(
                ops, segment.rates, segment.skews, waiting, strict=True
            ):
                steps = 1 if each.split is None else each.split.steps
                since = _since(loop.induction_variable, skew)
                branch = _branch(since, rate, steps, segment.ticks - skew)
                with ir.InsertionPoint(loop.body if branch is None else branch.then_block):
                    if each.split is None:
                        each.op.operation.clone()
                    else:
                        run_step(each.op, each.split, _row(since, rate), accumulators)
                    if branch is not None:
                        scf.YieldOp([])
            scf.YieldOp([])
    for each in reversed(ops):
        _erase(each.op)


def _since(tick: ir.Value, skew: int) -> ir.Value:
    """Return the ticks since the first step of an operator."""
    with ir.Location.name("row"):
        return arith.SubIOp(tick, _index(skew)).result if skew else tick


def _row(since: ir.Value, rate: int) -> ir.Value:
    with ir.Location.name("row"):
        return arith.DivSIOp(since, _index(rate)).result if rate > 1 else since


def _branch(since: ir.Value, rate: int, steps: int, ticks: int) -> scf.IfOp | None:
    """Create the branch in which a step runs; None if every tick has one.

    `ticks` are those of the loop from the first step on.
    """
    conditions: list[ir.Value] = []
    if not isinstance(since.owner, ir.Block):
        conditions.append(_compare(arith.CmpIPredicate.sge, since, 0))
    if rate * steps < ticks:
        conditions.append(_compare(arith.CmpIPredicate.slt, since, rate * steps))
    if rate > 1:
        rest = arith.RemSIOp(since, _index(rate)).result
        conditions.append(_compare(arith.CmpIPredicate.eq, rest, 0))
    if not conditions:
        return None
    condition = conditions[0]
    for other in conditions[1:]:
        condition = arith.AndIOp(condition, other).result
    return scf.IfOp(condition)


def _compare(predicate: arith.CmpIPredicate, value: ir.Value, number: int) -> ir.Value:
    return arith.CmpIOp(predicate, value, _index(number)).result


def _index(number: int) -> ir.Value:
    return arith.ConstantOp(ir.IndexType.get(), number).result


def _erase(op: ir.OpView) -> None:
    """Erase an op and the views that only it used."""
    views = [
        value.owner.opview
        for value in op.operands
        if not isinstance(value.owner, ir.Block) and is_view(value.owner.opview)
    ]
    op.operation.erase()
    for view in views:
        if not any(True for result in view.results for _ in result.uses):
            _erase(view)
