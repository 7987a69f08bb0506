"""Writer of the iterations of a pipelined loop: each in a slot, ordered by tokens."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from mlir import ir
from mlir.dialects import scf

from forebay.dialects import accel
from forebay.ir.nested import ops_in
from forebay.scheduling.loop_order import LoopOrder
from forebay.scheduling.loop_parts import LoopParts
from forebay.scheduling.moving import body_of
from forebay.scheduling.started import start_operation

Slots = Sequence[Mapping[ir.Value, ir.Value]]
"""For each slot: the value that replaces each buffer of the loop."""


@dataclass
class Tokens:
    """The tokens of one slot, by the number of the load or of the part in the rest."""

    loads: dict[int, ir.Value] = field(default_factory=dict[int, ir.Value])
    rest: dict[int, ir.Value] = field(default_factory=dict[int, ir.Value])

    def in_order(self) -> list[ir.Value]:
        """Return all tokens, in an order that does not depend on when they were made."""
        return [kind[number] for kind in (self.loads, self.rest) for number in sorted(kind)]


class Iterations:
    """Writes iterations of a loop at the insertion point.

    `numbers` are the values that the loop carries from one iteration to the next.
    """

    def __init__(self, parts: LoopParts, order: LoopOrder, slots: Slots) -> None:
        self._parts, self._order, self._slots = parts, order, slots
        self.tokens = [Tokens() for _ in slots]
        self.numbers: list[ir.Value] = list(parts.loop.initArgs)

    def load(self, slot: int, counter: ir.Value) -> None:
        """Start all loads of an iteration, in a free slot."""
        for number in range(len(self._parts.loads)):
            self._load(number, slot, counter, {})

    def run(self, slot: int, counter: ir.Value, following: ir.Value | None) -> None:
        """Write one iteration, and the loads of the next one in the same slot, if any."""
        loop, order, tokens = self._parts.loop, self._order, self.tokens[slot]
        known = dict(self._slots[slot])
        known[loop.induction_variable] = counter
        known.update(zip(loop.inner_iter_args, self.numbers, strict=True))
        here = _Cloner(loop, known)
        before, started = tokens.rest, dict[int, ir.Value]()
        loaded, tokens.loads = tokens.loads, {}
        for number, part in enumerate(self._parts.rest):
            due = [loaded[n] for n, load in enumerate(order.loads) if load.first == number]
            due += [before[n] for n, at in order.carried.items() if at == number and n in before]
            due += [started[n] for n in order.waits[number]]
            _wait(due, part.op)
            if part.queue is None:
                here.clone(part.op)
            else:
                after = [started[n] for n in order.after[number]]
                started[number] = here.start(part.op, after)
            for n, load in enumerate(order.loads):
                if load.last == number and following is not None:
                    self._load(n, slot, following, started)
        self.numbers = [here.value(v) for v in loop.body.operations[-1].operands]
        _wait([started[n] for n in order.ends], loop)
        has_following = following is not None
        tokens.rest = {
            n: t
            for n, t in started.items()
            if n not in order.ends
            and (n in order.carried or not (has_following or self.is_last_wait(n)))
        }

    def finish(self) -> None:
        """Wait for all in-flight operations."""
        for tokens in self.tokens:
            _wait(list(tokens.rest.values()), self._parts.loop)
            tokens.rest = {}

    def is_last_wait(self, number: int) -> bool:
        """Return whether another part of an iteration without loads waits for this one."""
        order = self._order
        return any(number in waited for waited in (*order.after, *order.waits))

    def _load(
        self, number: int, slot: int, counter: ir.Value, started: Mapping[int, ir.Value]
    ) -> None:
        loop, load = self._parts.loop, self._order.loads[number]
        known = dict(self._slots[slot])
        known[loop.induction_variable] = counter
        tokens = self.tokens[slot]
        after = [started[n] for n in load.after] if started else []
        after += [tokens.loads[n] for n in load.behind]
        cloner = _Cloner(loop, known)
        tokens.loads[number] = cloner.start(self._parts.loads[number].op, after)


class _Cloner:
    """Clones ops of a loop's body with other operands."""

    def __init__(self, loop: scf.ForOp, known: dict[ir.Value, ir.Value]) -> None:
        self._body = body_of(loop)
        self._block = loop.body
        self._known = known

    def value(self, value: ir.Value) -> ir.Value:
        """Return the replacement of a value; clone the op that defines it if necessary."""
        if value in self._known:
            return self._known[value]
        if isinstance(value.owner, ir.Block) or value.owner.operation.block != self._block:
            return value
        self.clone(value.owner.opview)
        return self._known[value]

    def clone(self, op: ir.OpView) -> None:
        """Clone the op."""
        inside = {result for inner in ops_in(op) for result in inner.results}
        inside |= {a for inner in ops_in(op) for r in inner.regions for b in r for a in b.arguments}
        outer = {v: self.value(v) for i in ops_in(op) for v in i.operands if v not in inside}
        copy = op.operation.clone()
        for inner in ops_in(copy):
            for index, operand in enumerate(inner.operands):
                inner.operation.operands[index] = outer.get(operand, operand)
        self._known.update(zip(op.results, copy.results, strict=True))

    def start(self, op: ir.OpView, after: Sequence[ir.Value]) -> ir.Value:
        """Issue the op to its queue as an asynchronous command, and return its token."""
        values = [self.value(value) for value in op.operands]
        assert isinstance(op, (accel.MoveOp, accel.CallOp))
        return start_operation(op, values, after)


def _wait(tokens: Sequence[ir.Value], op: ir.OpView) -> None:
    if tokens:
        with op.location:
            accel.WaitOp(list(tokens))
