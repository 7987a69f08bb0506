"""Writer of a pipelined loop: N loads ahead, rounds of N iterations, then the others.

`loop_order` has the order inside of an iteration::

    start load 0, load 1                              N loads
    iterations 0, 1                                   N iterations, if stores are in flight
    for round: iterations i, i + 1                    each with the load of the one N later
    the last iterations                               without further loads, in the end a wait

If the trip count is known only at run time, whole rounds are pipelined, and the original loop runs
the remaining iterations.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from mlir import ir
from mlir.dialects import arith, scf

from forebay.dialects.memref_pool import AllocOp
from forebay.ir.memory.linear import constant_index
from forebay.ir.memory.regions import is_inside
from forebay.scheduling.iteration import Iterations, Tokens
from forebay.scheduling.loop_order import LoopOrder
from forebay.scheduling.loop_parts import LoopParts
from forebay.scheduling.moving import trips


def write_pipelined_loop(parts: LoopParts, order: LoopOrder, count: int) -> None:
    """Replace the loop by its pipelined form, with `count` slots for each of its buffers."""
    loop = parts.loop
    with ir.InsertionPoint(loop), loop.location:
        buffers: dict[ir.Value, list[ir.Value]] = {
            slot.memref: _copies(slot, loop, count) for slot in parts.slots
        }
        slots = [{one: copies[k] for one, copies in buffers.items()} for k in range(count)]
        writer = _Writer(loop, Iterations(parts, order, slots), count, bool(order.carried))
        total = trips(loop)
        if total is None:
            writer.dynamic()
        else:
            writer.static(total)


def _copies(alloc: AllocOp, loop: scf.ForOp, count: int) -> list[ir.Value]:
    """Return the slots; an allocation outside of the loop is the first of them."""
    kept = [] if is_inside(alloc.memref, loop) else [alloc.memref]
    alignment = None if alloc.alignment is None else alloc.alignment.value
    with alloc.location:
        made = [
            AllocOp(alloc.memref.type, alignment=alignment).memref for _ in range(count - len(kept))
        ]
    return [*kept, *made]


@dataclass(frozen=True)
class _Writer:
    loop: scf.ForOp
    iterations: Iterations
    count: int
    carries: bool
    constants: dict[int, ir.Value] = field(default_factory=dict[int, ir.Value])

    @property
    def _ahead(self) -> int:
        """Number of iterations in front of the first round, which have no stores to wait for."""
        return self.count if self.carries else 0

    def static(self, total: int) -> None:
        """Write a loop with a known trip count."""
        count, ahead = self.count, self._ahead
        for number in range(count):
            self.iterations.load(number, self._at(number))
        rounds = max(0, total - count - ahead) // count
        if rounds:
            self._run(range(ahead), total)
            self._rounds(self._at(ahead), self._at(ahead + rounds * count))
            self._run(range(ahead + rounds * count, total), total)
        else:
            self._run(range(total), total)
        self.iterations.finish()
        self._replace(self.iterations.numbers)

    def dynamic(self) -> None:
        """Write whole rounds if there are enough iterations; the loop itself runs the others."""
        loop, count = self.loop, self.count
        low, end, step = loop.lowerBound, loop.upperBound, loop.step
        trips = arith.CeilDivSIOp(arith.SubIOp(end, low).result, step).result
        total = arith.MaxSIOp(trips, self._constant(0)).result
        fewest = self._constant(count + self._ahead)
        is_enough = arith.CmpIOp(arith.CmpIPredicate.sge, total, fewest).result
        rounds = arith.DivSIOp(total, self._constant(count)).result
        whole = arith.MulIOp(rounds, self._constant(count)).result
        middle = arith.AddIOp(low, arith.MulIOp(whole, step).result).result
        results = [value.type for value in loop.results]
        branch = scf.IfOp(is_enough, results, has_else=bool(results))
        with ir.InsertionPoint(branch.then_block):
            self._whole_rounds(middle)
            scf.YieldOp(self.iterations.numbers)
        if branch.else_block is not None:
            with ir.InsertionPoint(branch.else_block):
                scf.YieldOp(list(loop.initArgs))
        start = arith.SelectOp(is_enough, middle, low).result
        loop.operation.operands[0] = start
        for index, value in enumerate(branch.results):
            loop.operation.operands[3 + index] = value

    def _whole_rounds(self, middle: ir.Value) -> None:
        low, count = self.loop.lowerBound, self.count
        for number in range(count):
            self.iterations.load(number, self._behind(low, number))
        for number in range(self._ahead):
            following = self._behind(low, number + count)
            self.iterations.run(number % count, self._behind(low, number), following)
        last = arith.SubIOp(middle, self._steps(count)).result
        self._rounds(self._behind(low, self._ahead), last)
        for number in range(count):
            self.iterations.run(number, self._behind(last, number), None)
        self.iterations.finish()

    def _run(self, numbers: range, total: int) -> None:
        """Write iterations by number, each with the load of the next one in its slot."""
        for number in numbers:
            next_ = number + self.count
            following = self._at(next_) if next_ < total else None
            self.iterations.run(number % self.count, self._at(number), following)

    def _rounds(self, begin: ir.Value, end: ir.Value) -> None:
        """Write the loop of rounds: one iteration for each slot; it carries tokens and numbers."""
        iterations = self.iterations
        rounds = scf.ForOp(begin, end, self._steps(self.count), self._handed())
        with ir.InsertionPoint(rounds.body):
            self._take(list(rounds.inner_iter_args))
            for number in range(self.count):
                counter = self._behind(rounds.induction_variable, number)
                following = self._behind(rounds.induction_variable, number + self.count)
                iterations.run(number, counter, following)
            scf.YieldOp(self._handed())
        self._take(list(rounds.results))

    def _handed(self) -> list[ir.Value]:
        tokens = [t for slot in self.iterations.tokens for t in slot.in_order()]
        return [*tokens, *self.iterations.numbers]

    def _take(self, values: Sequence[ir.Value]) -> None:
        rest = iter(values)
        self.iterations.tokens = [
            Tokens(
                {n: next(rest) for n in sorted(slot.loads)},
                {n: next(rest) for n in sorted(slot.rest)},
            )
            for slot in self.iterations.tokens
        ]
        self.iterations.numbers = list(rest)

    def _at(self, number: int) -> ir.Value:
        """Return the counter of an iteration by its number; needs constant bounds."""
        low, step = constant_index(self.loop.lowerBound), constant_index(self.loop.step)
        assert low is not None and step is not None
        return self._constant(low + number * step)

    def _behind(self, counter: ir.Value, steps: int) -> ir.Value:
        return counter if steps == 0 else arith.AddIOp(counter, self._steps(steps)).result

    def _steps(self, count: int) -> ir.Value:
        """Return the distance of the counter over some iterations."""
        step = constant_index(self.loop.step)
        if step is not None:
            return self._constant(count * step)
        return arith.MulIOp(self.loop.step, self._constant(count)).result

    def _constant(self, value: int) -> ir.Value:
        """Return a constant of the counter's type; all constants stand in front of the first."""
        if value not in self.constants:
            first = next(iter(self.constants.values()), None)
            place = ir.InsertionPoint.current if first is None else ir.InsertionPoint(first.owner)
            with place:
                made = arith.ConstantOp(self.loop.induction_variable.type, value)
            self.constants[value] = made.result
        return self.constants[value]

    def _replace(self, numbers: Sequence[ir.Value]) -> None:
        for result, number in zip(self.loop.results, numbers, strict=True):
            result.replace_all_uses_with(number)
        self.loop.operation.erase()
