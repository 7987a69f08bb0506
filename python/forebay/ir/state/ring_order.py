"""The order of the rows of a variable that is a ring: the oldest one is at a position that moves.

    position 0      row 0   row 1   row 2   row 3       as in the model
    position 1      row 3   row 0   row 1   row 2       the new row has replaced the oldest one

The variable has `[outer][rows][inner]` elements. Each run replaces its `new` oldest rows, so it has
`rows / new` periods, and the number of the first one is in a variable of its own.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from mlir import ir
from mlir.dialects import memref
from msgspec import Struct
from numpy.typing import NDArray

RING = "memref_pool.ring"
"""An attribute of a `memref.global`: `array<i64: outer, rows, inner, new>`."""
RING_POSITION = "memref_pool.ring_position"
"""Its other attribute: the symbol of the variable that counts the runs."""

POSITION = "memref_pool.position"
"""The unit attribute of the `memref.load` of this number.

It is the program's own, not data: the check of a plan proves that views at it are in their buffers.
"""


class RingOrder(Struct, frozen=True):
    """The rows of a ring, `inner` elements each, `outer` times, of which each run replaces `new`.

    `position` is the name of the variable that counts the runs.
    """

    outer: int
    rows: int
    inner: int
    new: int
    position: str

    @property
    def period(self) -> int:
        """Return the number of runs after which the oldest row is at the same place again."""
        return self.rows // self.new

    def oldest_first(self, values: NDArray[Any], runs: int) -> NDArray[Any]:
        """Return an array of the variable in the order of the model, after so many runs."""
        first = runs % self.period * self.new
        rows = values.reshape(self.outer, self.rows, self.inner)
        return np.roll(rows, -first, axis=1).reshape(values.shape)


def ring_order_of(op: memref.GlobalOp) -> RingOrder | None:
    """Return the order of the rows of a variable, or None if it is that of the model."""
    if RING not in op.attributes:
        return None
    outer, rows, inner, new = ir.DenseI64ArrayAttr(op.attributes[RING])
    position = ir.FlatSymbolRefAttr(op.attributes[RING_POSITION]).value
    return RingOrder(outer, rows, inner, new, position)


def set_ring_order(op: memref.GlobalOp, order: RingOrder) -> None:
    """Write the attributes."""
    numbers = [order.outer, order.rows, order.inner, order.new]
    op.attributes[RING] = ir.DenseI64ArrayAttr.get(numbers)
    op.attributes[RING_POSITION] = ir.FlatSymbolRefAttr.get(order.position)
