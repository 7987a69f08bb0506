"""Program points: the ops that access memory with their devices; names are computed on demand."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from mlir import ir

from forebay.ir.locations import describe_location


@dataclass(frozen=True, eq=False)
class ProgramPoint:
    """An op of the program, or an agent outside the program if `op` is None.

    Shadow memory stores its `number`. `what` is the op's name or the agent's. `call` is the number
    of a call of a C function, if only that is known.
    """

    number: int
    what: str
    device: str
    op: ir.OpView | None = None
    call: str = ""

    @cached_property
    def location(self) -> str:
        """Return the operator of the model, or file and line."""
        return (
            self.call or "the program" if self.op is None else describe_location(self.op.location)
        )

    def __str__(self) -> str:
        is_placed = self.op is not None or self.call
        return f"{self.what} at {self.location}" if is_placed else self.what


class ProgramPoints:
    """All program points by number; number 0 stands for none."""

    def __init__(self, host: str) -> None:
        self.host = host
        self._all = [ProgramPoint(0, "nothing", host)]

    def __getitem__(self, number: int) -> ProgramPoint:
        return self._all[number]

    def of_op(self, op: ir.OpView, device: str) -> ProgramPoint:
        """Return a new program point for an op of the program."""
        return self._add(ProgramPoint(len(self._all), op.operation.name, device, op))

    def outside(self, what: str) -> ProgramPoint:
        """Return a new program point for an agent that is not an op: the caller, the image."""
        return self._add(ProgramPoint(len(self._all), what, self.host))

    def of_call(self, symbol: str, device: str, number: int) -> ProgramPoint:
        """Return a new program point for call `number`, from 1, of a device's C function."""
        return self._add(ProgramPoint(len(self._all), symbol, device, call=f"call {number}"))

    def _add(self, point: ProgramPoint) -> ProgramPoint:
        self._all.append(point)
        return point
