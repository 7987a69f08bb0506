"""Room for Python's frames, so that a deep call needs no system call.

Since 3.11 Python puts frames into chunks of memory of 16 KiB. A call whose frame does not fit into
the rest of a chunk maps another one, and its return unmaps it. If a loop makes such a call, then
every turn does both, at 10 us:

    chunk 1                 chunk 2
    | run | ... | loop |    | called |    mapped for each call, unmapped at its return

A chunk is as large as its first frame needs, rounded up to a power of two. So a frame of a little
more than half a chunk leaves nearly the other half to all frames above it.
"""

from __future__ import annotations

from collections.abc import Callable
from types import FunctionType
from typing import Any, TypeVar

_T = TypeVar("_T")

_BYTES = 1 << 20
"""Room for about 2,000 frames of 500 bytes; memory that is not written stays unmapped."""

_POINTER = 8


def _call(function: Callable[[], _T]) -> _T:
    return function()


_call_in_large_frame: Any = FunctionType(
    _call.__code__.replace(co_stacksize=_BYTES // _POINTER), globals()
)


def call_with_room(function: Callable[[], _T]) -> _T:
    """Call the function with `_BYTES` for its frames and those of all functions that it calls."""
    return _call_in_large_frame(function)
