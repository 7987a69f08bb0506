"""What the IR says about a buffer, and who turns that into memory."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from mlir import ir

from forebay.emulator.memory.site import Site
from forebay.emulator.memory.view import View

if TYPE_CHECKING:
    from forebay.emulator.machine.machine import Machine


@dataclass(frozen=True, eq=False)
class Place:
    """What the IR says about a buffer: its type, where the plan puts it, its own alignment."""

    name: str
    type: ir.MemRefType
    placement: ir.Attribute | None
    alignment: int | None = None
    lasting: bool = False


Allocate = Callable[[Place, ir.OpView, "Machine", Site], View]
"""Makes a new buffer, which the op declares and the site allocates."""
