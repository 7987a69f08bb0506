"""An upper bound of a network's stack use, from the declarations that the C printer writes.

The C has no recursion, no call through a pointer and no array on the stack: a function's frame is
its saved registers, its parameters, its variables and spilled values.
"""

from __future__ import annotations

from collections.abc import Mapping

from msgspec import Struct

DOUBLE_WORDS = ("int64_t", "uint64_t", "double")


class StackFrame(Struct, frozen=True):
    """A C function's frame: the types of its parameters and variables, and its callees' names."""

    slots: tuple[str, ...]
    calls: frozenset[str] = frozenset()


class StackModel(Struct, frozen=True):
    """The stack cost of a call on a kind of processor, in bytes.

    `frame`: return address, saved registers, alignment; `floats`: additional saved registers in a
    function with floating-point values; `word`: the slot of a parameter or variable without
    optimisation, or a spill of it or of an address computed from it; `helper`: the deepest of the
    printer's own helpers, none of which calls another; `library`: the compiler's arithmetic and
    `memcpy`; `math`: a function of math.h.
    """

    frame: int
    floats: int
    word: int
    helper: int
    library: int
    math: int

    def of(self, frame: StackFrame) -> int:
        """Return an upper bound of one frame's size."""
        sizes = (8 if slot in DOUBLE_WORDS else self.word for slot in frame.slots)
        has_floats = any(slot in ("float", "double") for slot in frame.slots)
        return self.frame + (self.floats if has_floats else 0) + sum(sizes)


BITS32 = StackModel(frame=64, floats=64, word=4, helper=128, library=128, math=512)
"""Cortex-M: 36 bytes of saved registers, 64 of its floating-point unit's; RV32: 52."""

BITS64 = StackModel(frame=128, floats=64, word=8, helper=192, library=256, math=1024)
"""x86-64: 56 bytes of saved registers; AArch64: 96, 64 of its floating-point unit's."""


class StackBound(Struct, frozen=True):
    """The largest stack use of a call in bytes, for pointers of 32 bits and of 64."""

    bits32: int
    bits64: int


def stack_bound(frames: Mapping[str, StackFrame], *, calls_math: bool) -> StackBound:
    """Return the largest stack use of a call of any of these functions.

    The compiler's and the library's functions are included, drivers of devices are not.
    """
    return StackBound(*(_deepest(frames, machine, calls_math) for machine in (BITS32, BITS64)))


def _deepest(frames: Mapping[str, StackFrame], machine: StackModel, calls_math: bool) -> int:
    depths: dict[str, int] = {}
    deepest = max((_depth(name, frames, machine, depths) for name in frames), default=0)
    total = deepest + machine.helper + (machine.math if calls_math else machine.library)
    return -(-total // 8) * 8


def _depth(
    name: str, frames: Mapping[str, StackFrame], machine: StackModel, depths: dict[str, int]
) -> int:
    """Return the size of a function's frame plus that of its deepest chain of calls."""
    if name not in depths:
        below = (_depth(call, frames, machine, depths) for call in frames[name].calls)
        depths[name] = machine.of(frames[name]) + max(below, default=0)
    return depths[name]
