"""Wrong cascades of a planned module, and whether the checks refuse each that matters.

The kinds are those of the mistakes that a schedule of rows can have: a ring that is one row short,
a skew that is off by one, a write that is skipped, a row in the slot of another, and two entries of
a table that are swapped. A mutant matters if the outputs differ without checks.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import combinations
from typing import Any

import numpy as np
from mlir import ir
from mlir.dialects import arith, scf

from common.injection.score import Model
from forebay._libs import _forebay as _library
from forebay.dialects.memref_pool import AllocOp, CertificateAttr, RowPlacementAttr
from forebay.emulator import Emulator, Fault
from forebay.emulator.memory.faults import WrongValue
from forebay.ir.machine.pools import pool_ops
from forebay.ir.module import module_of
from forebay.ir.nested import ops_of
from forebay.ir.plan_check import check_layout, execute, placed_in
from forebay.ir.problem.problem import extract_problem
from forebay.ir.refused import RefusedError
from forebay.ir.rows.layout import is_rows
from forebay.pools import PoolKind

Change = Callable[[ir.Operation], None]
POISONS = (0xA5, 0x3C)
_DRAWS = 50
"""Draws of a kind until one is a mutant."""
PLANNERS = ("auto", "first-fit", "greedy-by-size", "greedy-by-area", "greedy-by-duration")


def row_allocs(module: ir.Operation) -> list[AllocOp]:
    """The allocations of rows, in their order, which clones keep."""
    return [op for op in ops_of(module, AllocOp) if is_rows(op.memref.type)]


def guards(module: ir.Operation) -> list[scf.IfOp]:
    """The guards of row kernels in loops over ticks."""
    return [op for op in ops_of(module, scf.IfOp) if not len(op.results)]


def offsets_of(op: AllocOp) -> list[int]:
    assert op.row_placement is not None
    return list(op.row_placement.offsets)


@dataclass
class Score:
    """What became of the mutants, by kind; `right` counts right plans without an alarm."""

    drawn: Counter[str] = field(default_factory=Counter[str])
    matter: Counter[str] = field(default_factory=Counter[str])
    by_plan_check: Counter[str] = field(default_factory=Counter[str])
    by_emulator: Counter[str] = field(default_factory=Counter[str])
    by_value: Counter[str] = field(default_factory=Counter[str])
    """Those that use the memory rightly, for example a sum in place that is skipped."""
    idle: Counter[str] = field(default_factory=Counter[str])
    """Those that a check refuses although no output differs: the error reaches none."""
    missed: list[str] = field(default_factory=list[str])
    right: int = 0
    alarms: list[str] = field(default_factory=list[str])


class RowJudge:
    """A planned module with rows, and what it answers to some inputs."""

    def __init__(self, module: ir.Operation, inputs: Sequence[Sequence[Any]], model: Model) -> None:
        self.score = Score()
        self._module = module
        self._inputs = inputs
        self._tensors = model.tensors
        self._values = [model.run(arrays) for arrays in inputs]
        self._emulator = Emulator(module, tensors=model.tensors)
        self._expected = [self._emulator.call("main", arrays) for arrays in inputs]
        self._kinds: dict[str, Callable[[random.Random], Change | None]] = {
            "ring one row short": self._short_ring,
            "skew off by one": self._skew,
            "skipped write": self._skipped_write,
            "wrong slot": self._wrong_slot,
            "table entry swapped": self._swapped,
        }
        self._live = self._most_live()

    def try_mutants(self, count: int, seed: int = 0) -> None:
        """Run so many mutants, of each kind in turn."""
        rng = random.Random(seed)
        while self.score.drawn.total() < count:
            before = self.score.drawn.total()
            for kind, draw in self._kinds.items():
                change = next(filter(None, (draw(rng) for _ in range(_DRAWS))), None)
                if change is not None and self.score.drawn.total() < count:
                    self._try(kind, change)
            if self.score.drawn.total() == before:
                return

    def try_replans(self, count: int, seed: int = 0) -> None:
        """Check so many right plans: of all planners, with bytes reserved and rows aligned."""
        rng = random.Random(seed)
        for number in range(count):
            clone = self._module.clone().operation
            with clone.context, ir.Location.unknown():
                _disturb(clone, rng)
                planner = PLANNERS[number % len(PLANNERS)]
                _library.run_pipeline(
                    clone, f"builtin.module(memref-pool-plan{{planner={planner}}})"
                )
                found = _refusal(clone)
            self.score.right += not found
            self.score.alarms += [f"{planner}: {found}"] if found else []

    def _try(self, kind: str, change: Change) -> None:
        clone = self._module.clone().operation
        with clone.context, ir.Location.unknown():
            change(clone)
            refusal = _refusal(clone)
        score = self.score
        score.drawn[kind] += 1
        if not self._matters(clone):
            score.idle[kind] += bool(refusal)
            return
        score.matter[kind] += 1
        if refusal:
            score.by_plan_check[kind] += 1
        else:
            fault = self._fault(clone)
            if fault is None:
                score.missed.append(kind)
            else:
                found = score.by_value if isinstance(fault, WrongValue) else score.by_emulator
                found[kind] += 1

    def _matters(self, clone: ir.Operation) -> bool:
        for poison in POISONS:
            machine = Emulator(clone, like=self._emulator, poison=poison, checks=False)
            for arrays, expected in zip(self._inputs, self._expected, strict=True):
                try:
                    outputs = machine.call("main", arrays)
                except Fault:
                    return True
                if not all(np.array_equal(*p) for p in zip(outputs, expected, strict=True)):
                    return True
        return False

    def _fault(self, clone: ir.Operation) -> Fault | None:
        try:
            machine = Emulator(clone, like=self._emulator, tensors=self._tensors)
            for arrays, values in zip(self._inputs, self._values, strict=True):
                machine.call("main", arrays, expected=values)
        except Fault as fault:
            return fault
        return None

    # ---- Kinds -----------------------------------------------------------------------------------

    def _most_live(self) -> list[int]:
        """How many rows of each tensor live at once."""
        extraction = extract_problem(module_of(self._module))
        found: list[int] = []
        for number, root in enumerate(extraction.liveness.buffers):
            if is_rows(root.type):
                rows = extraction.liveness.row_lifetimes[number]
                starts = [row[0].start for row in rows]
                found.append(max(sum(r[0].start <= t < r[-1].end for r in rows) for t in starts))
        return found

    def _short_ring(self, rng: random.Random) -> Change | None:
        number = rng.randrange(len(self._live))
        old, slots = offsets_of(row_allocs(self._module)[number]), self._live[number] - 1
        if slots < 1 or len(old) <= slots:
            return None
        first = rng.randrange(len(old) - slots)
        ring = old[first : first + slots]
        return _placed(number, [*old[:first], *(ring[n % slots] for n in range(len(old) - first))])

    def _wrong_slot(self, rng: random.Random) -> Change | None:
        allocs = row_allocs(self._module)
        number, other = rng.randrange(len(allocs)), rng.randrange(len(allocs))
        new, slots = offsets_of(allocs[number]), offsets_of(allocs[other])
        if _row_bytes(allocs[number]) > _row_bytes(allocs[other]):
            return None
        row = rng.randrange(len(new))
        slot = rng.choice(slots)
        if new[row] == slot:
            return None
        new[row] = slot
        return _placed(number, new)

    def _swapped(self, rng: random.Random) -> Change | None:
        allocs = row_allocs(self._module)
        number = rng.randrange(len(allocs))
        new = offsets_of(allocs[number])
        one, other = rng.randrange(len(new)), rng.randrange(len(new))
        if new[one] == new[other]:
            return None
        new[one], new[other] = new[other], new[one]
        return _placed(number, new)

    def _skew(self, rng: random.Random) -> Change | None:
        number = rng.randrange(len(guards(self._module)))
        by = rng.choice((-1, 1))
        if _tick_minus_skew(guards(self._module)[number]) is None:
            return None

        def change(module: ir.Operation) -> None:
            op = _tick_minus_skew(guards(module)[number])
            assert op is not None
            skew = ir.IntegerAttr(op.rhs.owner.opview.value).value
            with ir.InsertionPoint(op):
                op.operation.operands[1] = arith.ConstantOp(ir.IndexType.get(), skew + by).result

        return change

    def _skipped_write(self, rng: random.Random) -> Change | None:
        number = rng.randrange(len(guards(self._module)))
        guard = guards(self._module)[number]
        loop = _loop_of(guard)
        tick = rng.randrange(ir.IntegerAttr(loop.upperBound.owner.opview.value).value)

        def change(module: ir.Operation) -> None:
            op = guards(module)[number]
            index = ir.IndexType.get()
            with ir.InsertionPoint(op):
                at = arith.ConstantOp(index, tick).result
                counter = _loop_of(op).induction_variable
                other = arith.CmpIOp(arith.CmpIPredicate.ne, counter, at).result
                op.operation.operands[0] = arith.AndIOp(op.condition, other).result

        return change


def _placed(number: int, offsets: Sequence[int]) -> Change:
    def change(module: ir.Operation) -> None:
        op = row_allocs(module)[number]
        assert op.row_placement is not None
        op.row_placement = RowPlacementAttr.get(op.row_placement.pool, list(offsets))

    return change


def _row_bytes(op: AllocOp) -> int:
    type_ = ir.MemRefType(op.memref.type)
    row = type_.shape[type_.layout.dims :]
    return int(np.prod(row)) * type_.element_type.width // 8


def _tick_minus_skew(guard: scf.IfOp) -> arith.SubIOp | None:
    """The op that subtracts the skew from the tick, for the condition of a guard."""
    counter = _loop_of(guard).induction_variable
    queue = [guard.condition]
    while queue:
        value = queue.pop()
        if isinstance(value.owner, ir.Block):
            continue
        op = value.owner.opview
        if isinstance(op, arith.SubIOp) and op.lhs == counter:
            return op
        queue += list(op.operands)
    return None


def _loop_of(op: ir.OpView) -> scf.ForOp:
    around = op.operation.parent.opview
    return around if isinstance(around, scf.ForOp) else _loop_of(around)


def _disturb(module: ir.Operation, rng: random.Random) -> None:
    """Let the planners find another plan: reserve bytes, and align some rows."""
    i64 = ir.IntegerType.get_signless(64)
    for op in row_allocs(module):
        op.alignment = ir.IntegerAttr.get(i64, rng.choice((1, 1, 2, 4, 8)))
    for pool in pool_ops(module):
        if "capacity" in pool.attributes:
            del pool.attributes["capacity"]
        if pool.kind.value == PoolKind.workspace.value:
            start = 16 * rng.randrange(256)
            pool.reserved = ir.DenseI64ArrayAttr.get([start, start + rng.randrange(1, 2048)])


def _refusal(module: ir.Operation) -> str:
    """What the plan check says to the places; certificates and capacities are made to fit."""
    root = module_of(module)
    try:
        placing = placed_in(root)
        for pool in pool_ops(module):
            ends = [b.end for b in placing.buffers if b.pool == pool.sym_name.value]
            pool.certificate = CertificateAttr.get("mutant", max(ends, default=0), 0)
            if "capacity" in pool.attributes:
                del pool.attributes["capacity"]
        check_layout(module, placing)
        execute(root, placing)
    except RefusedError as error:
        return str(error)
    return ""


def exchanged_entries(entries: Sequence[int]) -> Iterator[list[int]]:
    """Tables with two entries swapped, and with an entry that is another's."""
    for one, other in combinations(range(len(entries)), 2):
        swapped = list(entries)
        swapped[one], swapped[other] = swapped[other], swapped[one]
        yield swapped
        yield [entries[one] if n == other else entry for n, entry in enumerate(entries)]
