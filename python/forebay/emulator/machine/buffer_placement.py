"""Facts of the IR about a buffer, and the type of functions that allocate memory for it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from mlir import ir

from forebay.emulator.memory.program_point import ProgramPoint
from forebay.emulator.memory.rows_view import AnyView


@dataclass(frozen=True, eq=False)
class BufferPlacement:
    """The facts of the IR about a buffer: its type, its planned placement, its own alignment."""

    name: str
    type: ir.MemRefType
    placement: ir.Attribute | None
    alignment: int | None = None
    lasting: bool = False
    by_rows: bool = False
    """Whether its rows end one by one."""


Allocate = Callable[[BufferPlacement, ir.OpView, Any, ProgramPoint], AnyView]
"""Allocates a new buffer, which the op declares, in a `Machine`, at the given program point."""
