"""The rows of a variable that last from run to run; a run may use its other rows for new ones."""

from __future__ import annotations

from mlir import ir
from mlir.dialects import memref
from msgspec import Struct

CARRIED_ROWS = "memref_pool.carried_rows"
"""An attribute of a `memref.global`: `array<i64: axis, first, count>`."""


class CarriedRows(Struct, frozen=True):
    """The rows `[first, first + count)` along an axis of a variable."""

    axis: int
    first: int
    count: int

    @property
    def indices(self) -> tuple[slice, ...]:
        """Return the indices of these rows in an array of the variable."""
        return (*(slice(None),) * self.axis, slice(self.first, self.first + self.count))

    def shape(self, whole: list[int]) -> list[int]:
        """Return the shape of these rows of a variable of the shape `whole`."""
        return [self.count if axis == self.axis else size for axis, size in enumerate(whole)]


def carried_rows_of(op: memref.GlobalOp) -> CarriedRows | None:
    """Return the rows that last from run to run, or None if all do."""
    if CARRIED_ROWS not in op.attributes:
        return None
    return CarriedRows(*ir.DenseI64ArrayAttr(op.attributes[CARRIED_ROWS]))


def set_carried_rows(op: memref.GlobalOp, rows: CarriedRows) -> None:
    """Write the attribute."""
    numbers = [rows.axis, rows.first, rows.count]
    op.attributes[CARRIED_ROWS] = ir.DenseI64ArrayAttr.get(numbers)
