"""memref-pool-shift-state: shift the rows of state variables in their own memory."""

from collections import Counter
from dataclasses import dataclass
from typing import ClassVar

from mlir import ir

from forebay.ir.liveness.memory_effects import MemoryEffects
from forebay.ir.memory.underlying_buffers import entry_functions
from forebay.ir.module import module_of
from forebay.ir.state.choice import chosen_windows
from forebay.ir.state.rewrite import hold_window, move_in_window
from forebay.ir.state.twins import keep_twins
from forebay.ir.state.windows import EqualWindow, LargerWindow, WindowSearch
from forebay.lowering.padding.constants import Constants
from forebay.lowering.rings.choice import chosen_rings
from forebay.lowering.rings.found import RingSearch, RingWindow
from forebay.lowering.rings.rewrite import keep_in_rings
from forebay.passes._pass import Pass, option


@dataclass(frozen=True)
class MemrefPoolShiftState(Pass):
    """Let a variable hold the window of old and new rows that the network makes of it.

    A network that runs once for each part of a stream keeps the last rows of a tensor: it copies
    the variable and the new rows into a window, reads the window, and copies the last rows of it
    into the variable. The pass gives the variable all rows of the window, removes the window and
    the first copy, and lets the second one move rows inside of the variable, behind the last use of
    the window. Kernels that compute new rows write them into the variable. If the window has as
    many rows as the variable, the variable keeps its size, and its rows move first.

    Where only sums read such a window, with constant weights for each row, the variable is a ring:
    no row moves, the new ones replace the oldest ones at a position, which is a variable of 4 bytes
    for all rings of a function. The readers have the weights once more and begin at the one for the
    first row in memory. Only `@reset` may use the variable, too.

    A variable of which several functions make windows keeps them all.

    A larger variable takes bytes for as long as the state lasts, and a window only while it is
    live. So a window stays where all pools together would need more bytes than without larger
    variables, or where the pool of the variable has no room. The attribute
    `memref_pool.carried_rows` of a larger variable says which rows last from run to run.
    """

    name: ClassVar[str] = "memref-pool-shift-state"
    dialects: ClassVar[tuple[str, ...]] = ("arith", "memref", "memref_pool")
    needs: ClassVar[tuple[str, ...]] = ("memref_pool.copy",)

    smallest: bool = option(
        False, "let no variable grow whose window takes fewer bytes, and none be a ring"
    )

    def run(self, op: ir.Operation) -> None:
        """Rewrite the windows of every entry function."""
        module = module_of(op)
        effects = MemoryEffects(module)
        search = WindowSearch(op, effects)
        if not search.variables:
            return
        found = [
            window
            for function in entry_functions(module)
            for window in keep_twins(search.in_function(function), function.entry_block)
        ]
        used = Counter(window.variable for window in found)
        own = [window for window in found if used[window.variable] == 1]
        constants = Constants(module)
        chosen = chosen_windows(own, search, module, smallest=self.smallest)
        equal = [window for window in chosen if isinstance(window, EqualWindow)]
        possible: list[RingWindow] = []
        if equal and not self.smallest:
            possible = RingSearch(module, effects, constants).rings_of(equal)
        for window in chosen:
            if isinstance(window, LargerWindow):
                hold_window(window, search.variables[window.variable], op)
        in_rings: set[str] = set()
        for function in entry_functions(module):
            rings = chosen_rings([it for it in possible if it.function == function], module)
            keep_in_rings(rings, search.variables, constants)
            in_rings.update(ring.window.variable for ring in rings)
        for window in equal:
            if window.variable not in in_rings:
                move_in_window(window, search.variables[window.variable])
