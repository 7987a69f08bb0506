"""How much stack a network takes at most, from what the C printer declares.

The C has no recursion, no call through a pointer and no array on the stack: a function's frame is
what a compiler saves there, its parameters, its variables and what it spills of them.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

DOUBLE_WORDS = ("int64_t", "uint64_t", "double")


@dataclass(frozen=True)
class StackFrame:
    """A function of the C: the types of its parameters and variables, and whom it calls."""

    slots: tuple[str, ...]
    calls: frozenset[str] = frozenset()


@dataclass(frozen=True)
class StackModel:
    """What a kind of processor takes for a call, in bytes.

    `frame`: return address, saved registers, alignment; `floats`: what it saves besides where
    there are numbers with a point; `word`: a parameter's or a variable's place without
    optimisation, or a spill of it or of an address made from it; `helper`: the deepest of the
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
        """A bound of one frame."""
        sizes = (8 if slot in DOUBLE_WORDS else self.word for slot in frame.slots)
        has_floats = any(slot in ("float", "double") for slot in frame.slots)
        return self.frame + (self.floats if has_floats else 0) + sum(sizes)


BITS32 = StackModel(frame=64, floats=64, word=4, helper=128, library=128, math=512)
"""Cortex-M: 36 bytes of saved registers, 64 of a floating-point unit's; RV32: 52."""

BITS64 = StackModel(frame=128, floats=64, word=8, helper=192, library=256, math=1024)
"""x86-64: 56 bytes of saved registers; AArch64: 96, 64 of its floating-point unit's."""


@dataclass(frozen=True)
class StackBound:
    """Bytes of stack that a call takes at most, where pointers have 32 bits and where 64."""

    bits32: int
    bits64: int


def stack_bound(frames: Mapping[str, StackFrame], *, calls_math: bool) -> StackBound:
    """Return what a call of any of these functions takes at most.

    Drivers of devices are not in it; the compiler's and the library's functions are.
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
    """Its frame, and the deepest call below it."""
    if name not in depths:
        below = (_depth(call, frames, machine, depths) for call in frames[name].calls)
        depths[name] = machine.of(frames[name]) + max(below, default=0)
    return depths[name]
