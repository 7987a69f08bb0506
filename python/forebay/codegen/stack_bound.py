"""How much stack a network takes at most, from the functions of its C.

The C has no recursion, no call through a pointer and no array on the stack: a function's frame is
what a compiler saves there, its parameters, its variables and what it spills of them.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

FRAME = 128
"""Bytes of any frame: return address, saved registers (AArch64 saves 160 bytes), alignment."""

SLOT = 8
"""Bytes per parameter and variable: its place without optimisation, or a spill of it and of an
address made from it; 8 bytes each on a machine of 64 bits."""

LIBRARY = 256
"""Bytes that the compiler's arithmetic and `memcpy` take."""

MATH_LIBRARY = 1024
"""Bytes that a function of math.h takes."""

ENTRY = re.compile(
    r"^(?:static )?(?:inline )?[\w ]+?[ *](\w+)\(([^;{}]*)\)\n\{\n(.*?)^\}", re.M | re.S
)
VARIABLE = re.compile(
    r"\b(?:u?int(?:8|16|32|64)_t|size_t|float|double|bool|\w+_layout|\w+_status)"
    r" (?:const )?\*?(?:const )?(\w+)(?= =|;|\[)"
)
CALLED = re.compile(r"\b(\w+)\(")
COMMENT = re.compile(r"/\*.*?\*/", re.S)


@dataclass(frozen=True)
class Function:
    """A function of the C: how many parameters and variables it has, and whom it calls."""

    slots: int
    calls: frozenset[str]

    @property
    def frame(self) -> int:
        """A bound of its own frame in bytes."""
        return FRAME + SLOT * self.slots


def stack_bound(sources: Iterable[str]) -> int:
    """Return the bytes of stack that a call of any function in these C files takes at most.

    What functions of other files take is not in it, but for the compiler's own and the library's.
    """
    functions: dict[str, Function] = {}
    for source in sources:
        functions |= functions_in(source)
    depths: dict[str, int] = {}
    deepest = max((_depth(name, functions, depths) for name in functions), default=0)
    calls_math = any("#include <math.h>" in source for source in sources)
    return deepest + (MATH_LIBRARY if calls_math else LIBRARY)


def functions_in(source: str) -> dict[str, Function]:
    """Return the functions that a generated C file defines, by name."""
    text = COMMENT.sub("", source)
    return {
        match[1]: Function(
            match[2].count(",") + 1 + len(VARIABLE.findall(match[3])),
            frozenset(CALLED.findall(match[3])),
        )
        for match in ENTRY.finditer(text)
    }


def _depth(name: str, functions: Mapping[str, Function], depths: dict[str, int]) -> int:
    """Its frame, and the deepest call below it."""
    if name not in depths:
        own = functions[name]
        below = (_depth(call, functions, depths) for call in own.calls if call in functions)
        depths[name] = own.frame + max(below, default=0)
    return depths[name]
