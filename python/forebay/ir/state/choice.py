"""Which variables get the rows of their windows: those that make the pools smaller together."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from itertools import accumulate

from mlir import ir
from mlir.dialects import memref
from mlir.dialects.builtin import ModuleOp

from forebay.ir.liveness.liveness import liveness_of
from forebay.ir.machine.pools import bytes_of, candidates_of, pools_in
from forebay.ir.state.windows import AnyWindow, LargerWindow, WindowSearch
from forebay.planning import Kind


def chosen_windows(
    windows: Sequence[AnyWindow], search: WindowSearch, module: ModuleOp, *, smallest: bool
) -> list[AnyWindow]:
    """Return the windows that a module has in its variables.

    A variable with the rows of its window takes more bytes in every step, and the window none in
    those in which it is live. The bytes are the sum of the variables and of the live bytes of the
    workspaces at their peaks. They are at most those without larger variables; with `smallest`,
    windows are left out for as long as the bytes become fewer. No pool of state gets more bytes
    than it has. Windows are left out one by one, the one that saves the fewest bytes first.
    """
    sizes = _Sizes(windows, search, module)
    allowed = sizes.total([window for window in windows if not sizes.growth_of(window)])
    chosen = list(windows)
    while True:
        fewer = [[w for w in chosen if w is not one] for one in chosen if sizes.growth_of(one)]
        best = min(fewer, key=sizes.total, default=None)
        is_allowed = sizes.fits(chosen) and sizes.total(chosen) <= allowed
        if best is None or (
            is_allowed and not (smallest and sizes.total(best) < sizes.total(chosen))
        ):
            return chosen
        chosen = best


class _Sizes:
    """The bytes of a module's pools for each choice of windows."""

    def __init__(
        self, windows: Sequence[AnyWindow], search: WindowSearch, module: ModuleOp
    ) -> None:
        self._pools = pools_in(module.operation)
        self._variables = search.variables
        liveness = liveness_of(module)
        self._lives = {
            buffer.op.memref: (buffer, lifetime)
            for buffer, lifetime in zip(liveness.buffers, liveness.lifetimes, strict=True)
            if buffer.kind is Kind.WORKSPACE
            and buffer.op is not None
            and not isinstance(buffer.op, memref.GlobalOp)
        }
        self._state: Counter[str] = Counter()
        for buffer in liveness.buffers:
            if buffer.kind is Kind.STATE:
                self._state[buffer.candidates[0]] += bytes_of(buffer.type)

    def growth_of(self, window: AnyWindow) -> int:
        """Return the bytes that the variable gets in addition."""
        if not isinstance(window, LargerWindow):
            return 0
        old = ir.MemRefType(ir.TypeAttr(self._variables[window.variable].type_).value)
        return bytes_of(ir.MemRefType(window.alloc.memref.type)) - bytes_of(old)

    def fits(self, chosen: Sequence[AnyWindow]) -> bool:
        """Return whether the pools of state have room for the variables."""
        return all(
            self._pools[name].usable is None or size <= (self._pools[name].usable or 0)
            for name, size in self._state_with(chosen).items()
        )

    def total(self, chosen: Sequence[AnyWindow]) -> int:
        """Return the sum of the bytes of state and of the live bytes of workspaces at the peak."""
        return sum(self._state_with(chosen).values()) + sum(self._peaks_with(chosen).values())

    def _state_with(self, chosen: Sequence[AnyWindow]) -> Mapping[str, int]:
        sizes = Counter(self._state)
        for window in chosen:
            pool = candidates_of(ir.TypeAttr(self._variables[window.variable].type_).value)[0]
            sizes[pool] += self.growth_of(window)
        return sizes

    def _peaks_with(self, chosen: Sequence[AnyWindow]) -> Mapping[str, int]:
        gone = {value for window in chosen for value in _replaced_by(window)}
        changes: dict[str, Counter[int]] = defaultdict(Counter)
        for value, (buffer, lifetime) in self._lives.items():
            if value in gone:
                continue
            size = bytes_of(buffer.type)
            for span in lifetime:
                changes[buffer.candidates[0]][span.start] += size
                changes[buffer.candidates[0]][span.end] -= size
        return {
            pool: max(accumulate(own[point] for point in sorted(own)))
            for pool, own in changes.items()
        }


def _replaced_by(window: AnyWindow) -> list[ir.Value]:
    """Return the allocations that a window in its variable replaces."""
    pieces = window.pieces if isinstance(window, LargerWindow) else ()
    return [window.alloc.memref, *(piece.alloc.memref for piece in pieces)]
