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
from forebay.ir.state.windows import LargerWindow, WindowSearch
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

    A variable of which several functions make windows keeps them all.

    A larger variable takes bytes for as long as the state lasts, and a window only while it is
    live. So a window stays where all pools together would need more bytes than without larger
    variables, or where the pool of the variable has no room. The attribute
    `memref_pool.carried_rows` of a larger variable says which rows last from run to run.
    """

    name: ClassVar[str] = "memref-pool-shift-state"
    dialects: ClassVar[tuple[str, ...]] = ("memref", "memref_pool")
    needs: ClassVar[tuple[str, ...]] = ("memref_pool.copy",)

    smallest: bool = option(False, "let no variable grow whose window takes fewer bytes")

    def run(self, op: ir.Operation) -> None:
        """Rewrite the windows of every entry function."""
        module = module_of(op)
        search = WindowSearch(op, MemoryEffects(module))
        if not search.variables:
            return
        found = [
            window
            for function in entry_functions(module)
            for window in keep_twins(search.in_function(function), function.entry_block)
        ]
        used = Counter(window.variable for window in found)
        own = [window for window in found if used[window.variable] == 1]
        for window in chosen_windows(own, search, module, smallest=self.smallest):
            variable = search.variables[window.variable]
            if isinstance(window, LargerWindow):
                hold_window(window, variable, op)
            else:
                move_in_window(window, variable)
