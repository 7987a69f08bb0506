"""Facts of the IR about a buffer, and the type of functions that allocate memory for it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from mlir import ir

from forebay.emulator.memory.site import ProgramPoint
from forebay.emulator.memory.view import MemoryView

if TYPE_CHECKING:
    from forebay.emulator.machine.machine import Machine


@dataclass(frozen=True, eq=False)
class BufferPlacement:
    """The facts of the IR about a buffer: its type, its planned placement, its own alignment."""

    name: str
    type: ir.MemRefType
    placement: ir.Attribute | None
    alignment: int | None = None
    lasting: bool = False


Allocate = Callable[[BufferPlacement, ir.OpView, "Machine", ProgramPoint], MemoryView]
"""Allocates a new buffer, which the op declares, at the given program point."""
