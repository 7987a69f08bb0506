"""What is known at the insertion point of a blocked nest."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager

from mlir import ir

from forebay.lowering.blocks.blocked_op import BlockedOp
from forebay.lowering.blocks.operand import BlockOperand, Memories
from forebay.lowering.blocks.subdomain import Subdomain
from forebay.lowering.loops.counters import Counters
from forebay.lowering.loops.window_limits import Limits


class NestScope:
    """The counters, limits of loops and rows that are known here, and the positions to emit.

    `memories` are those of each operand, by its number. `ins` are the operands that the reduction
    reads here. A value that is computed inside of a loop is known until the loop ends.
    """

    def __init__(self, blocked: BlockedOp) -> None:
        self._blocked = blocked
        self.ins = blocked.ins
        self.subdomain = blocked.domain
        self.counters = Counters(blocked.forms())
        self.limits = Limits(
            self.subdomain.bounds, blocked.box, self.counters, counts=blocked.counts_points
        )
        self.memories: dict[int, Memories] = {
            access.number: {(): access.value} for access in blocked.accesses if not access.row
        }

    def enter_nest(self) -> None:
        """Emit what is known outside of all loops."""
        self._blocked.box.enter_nest()
        self.counters.enter_nest()
        self.limits.enter(-1)
        self._take_rows(-1)

    @contextmanager
    def parallel_loop(self, dim: int, counter: ir.Value) -> Generator[None]:
        """Emit what is known inside of a parallel loop; it ends with the loop."""
        counters, limits, memories = self.counters, self.limits, self.memories
        self.counters = counters.copy()
        self.limits = limits.with_counters(self.counters)
        self.counters.enter(dim, counter)
        self.limits.enter(dim)
        self._take_rows(dim)
        yield
        self.counters, self.limits, self.memories = counters, limits, memories

    @contextmanager
    def reduction_loop(self, dim: int, counter: ir.Value) -> Generator[None]:
        """Emit what is known inside of a loop over a reduction dimension."""
        memories = self.memories
        with self.own_counters():
            self.enter(dim, counter)
            yield
        self.memories = memories

    @contextmanager
    def own_counters(self) -> Generator[None]:
        """Forget after the `with` statement what was computed from counters inside of it."""
        counters, self.counters = self.counters, self.counters.copy()
        yield
        self.counters = counters

    @contextmanager
    def narrowed(self, subdomain: Subdomain) -> Generator[None]:
        """Emit only the positions of a subdomain, with the limits that these need."""
        before, limits = self.subdomain, self.limits
        self.subdomain = subdomain
        self.limits = limits.narrowed(subdomain.bounds, subdomain.points)
        yield
        self.subdomain, self.limits = before, limits

    @contextmanager
    def reading(self, ins: list[BlockOperand]) -> Generator[None]:
        """Emit a reduction that reads these operands."""
        before, self.ins = self.ins, ins
        yield
        self.ins = before

    def enter(self, dim: int, counter: ir.Value) -> None:
        """Emit what follows from the counter of a reduction dimension."""
        self.counters.enter(dim, counter)
        self._take_rows(dim)

    def is_clamped(self, dim: int) -> bool:
        """Return whether the loop over a reduction dimension begins or ends at a limit."""
        return bool(self.subdomain.clamps(dim))

    def _take_rows(self, dim: int) -> None:
        """Take the rows that are known inside of the loop over `dim`, outside of all for -1."""
        taken = {
            access.number: access.take_rows(dim, self.counters, self.subdomain)
            for access in (*self.ins, *self._blocked.params, self._blocked.out)
            if access.row and access.level(self.subdomain) == dim
        }
        self.memories = {**self.memories, **taken}
