"""A planned module whose places a test may change, to see whether the verifier notices."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from itertools import permutations

from mlir import ir
from msgspec import structs

from forebay.dialects.memref_pool import AllocOp, CertificateAttr
from forebay.ir.machine.pools import pool_ops
from forebay.ir.memory.underlying_buffers import UnderlyingBuffer
from forebay.ir.plan_check import check_layout, execute, placed_in
from forebay.ir.problem.parts import BufferPart
from forebay.ir.problem.problem import extract_problem, plan_of, planned_placement
from forebay.ir.refused import RefusedError
from forebay.ir.rows.layout import is_rows
from forebay.planning import Buffer, Placement, Plan, PlanRefusedError, verify


class Planned:
    """A module after `memref-pool-plan`. Use within the module's context.

    The rows of a memref of rows may be moved one by one, a contiguous buffer as a whole.

    With `capped`, each pool is as large as the plan's peak and no larger.
    """

    def __init__(self, module: ir.Module, *, capped: bool = False) -> None:
        self._module = module.operation.opview
        self._pools = {pool.sym_name.value: pool for pool in pool_ops(module.operation)}
        if capped:
            self._cap()
        rows, whole = (extract_problem(self._module, by_rows=each) for each in (True, False))
        parts: list[tuple[Buffer, BufferPart]] = []
        for number, root in enumerate(whole.liveness.buffers):
            if is_rows(root.type):
                numbers = rows.by_root()[number]
                parts += [(rows.problem.buffers[n], rows.parts[n]) for n in numbers]
            else:
                parts.append((whole.problem.buffers[number], whole.parts[number]))
        roots = whole.liveness.buffers
        self.buffers = tuple(buffer for buffer, _ in parts)
        self.problem = replace(whole.problem, buffers=self.buffers)
        known = plan_of(self._module).placements
        self.places = {
            buffer.name: planned_placement(roots[part.root])
            if part.first is None
            else known[buffer.name]
            for buffer, part in parts
        }
        self._rows, self._places_of_rows = rows.problem, known
        names = [buffer.name for buffer in rows.problem.buffers]
        self._parts = {
            buffer.name: [names[n] for n in rows.by_root()[part.root]]
            if part.first is None
            else [buffer.name]
            for buffer, part in parts
        }
        self._placing = placed_in(self._module)
        self._numbers = {b.name: self._number(roots[part.root], part) for b, part in parts}

    def end(self, buffer: Buffer) -> int:
        """The byte behind the buffer."""
        return self.places[buffer.name].offset + buffer.size

    def peak(self, pool: str) -> int:
        """The highest end in the pool."""
        return max(self.end(b) for b in self.buffers if self.places[b.name].pool == pool)

    def alignment(self, buffer: Buffer) -> int:
        """The alignment of the buffer in its pool."""
        pool = self.problem.pool_by_name[self.places[buffer.name].pool]
        return self.problem.alignment_in(buffer, pool)

    def conflicts(self) -> Iterator[tuple[Buffer, Buffer]]:
        """All ordered pairs of buffers in one pool that must not share bytes."""
        explicit = {frozenset(pair) for pair in self.problem.conflicts}
        for one, other in permutations(self.buffers, 2):
            same = self.places[one.name].pool == self.places[other.name].pool
            together = one.live_with(other) or frozenset((one.name, other.name)) in explicit
            if same and together:
                yield one, other

    def refusal(self, changes: Mapping[str, Placement]) -> str:
        """What the verifier says to the changed plan, whose certificate fits; "" to a right one."""
        buffers = list(self._placing.buffers)
        for name, (pool, offset) in changes.items():
            placed = buffers[self._numbers[name]]
            size = placed.end - placed.start
            buffers[self._numbers[name]] = structs.replace(
                placed, pool=pool, start=offset, end=offset + size
            )
        placing = structs.replace(self._placing, buffers=buffers)
        before = {pool: pool.certificate for pool in self._pools.values()}
        for name, pool in self._pools.items():
            peak = max((b.end for b in buffers if b.pool == name), default=0)
            pool.certificate = CertificateAttr.get("mutant", peak, 0)
        try:
            check_layout(self._module.operation, placing)
            execute(self._module, placing)
        except RefusedError as refusal:
            return str(refusal)
        finally:
            for pool, certificate in before.items():
                pool.certificate = certificate
        return ""

    def offsets(self, changes: Mapping[str, Placement]) -> dict[ir.Value, int]:
        """Where the changed plan puts allocs and arguments, whatever their pool."""
        places = {**self.places, **changes}
        by_number = {self._numbers[name]: place.offset for name, place in places.items()}
        values = {**self._placing.values, **self._placing.arguments}
        return {value: by_number[number] for value, number in values.items()}

    def is_wrong(self, changes: Mapping[str, Placement]) -> bool:
        """What the planners' check thinks, which knows lifetimes and shares no code with passes.

        The rows of a contiguous buffer have lifetimes of their own, and move together.
        """
        places = dict(self._places_of_rows)
        for name, (pool, offset) in changes.items():
            moved = offset - self.places[name].offset
            for part in self._parts[name]:
                places[part] = Placement(pool, places[part].offset + moved)
        try:
            verify(Plan(self._rows, places, "mutant"))
        except PlanRefusedError:
            return True
        return False

    def _cap(self) -> None:
        for pool in self._pools.values():
            if pool.certificate.peak:
                i64 = ir.IntegerType.get_signless(64)
                pool.capacity = ir.IntegerAttr.get(i64, pool.certificate.peak)

    def _number(self, root: UnderlyingBuffer, part: BufferPart) -> int:
        """The buffer of the plan check: a row, or all of a contiguous buffer."""
        if isinstance(root.op, AllocOp):
            number = self._placing.values[root.op.memref]
            return self._placing.numbers_of(number)[part.first if number < 0 else 0]
        if root.op is not None:
            return self._placing.globals[root.op.sym_name.value]
        return self._placing.arguments[root.arguments[0].value]
