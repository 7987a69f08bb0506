"""The rows of a ring: as attributes, and in the order of the model."""

from __future__ import annotations

import numpy as np
from mlir import ir
from mlir.dialects import memref

from forebay.ir.state.ring_order import RingOrder, ring_order_of, set_ring_order


def test_an_order_is_read_as_it_was_written() -> None:
    with ir.Context(), ir.Location.unknown():
        module = ir.Module.parse('memref.global "private" @s : memref<24xi8>')
        [variable] = module.body.operations
        assert isinstance(variable, memref.GlobalOp)
        assert ring_order_of(variable) is None
        order = RingOrder(2, 4, 3, 2, "position")
        set_ring_order(variable, order)
        assert ring_order_of(variable) == order
        assert module.operation.verify()


def test_the_oldest_row_comes_first() -> None:
    # 6 rows of 3 elements, twice; each run replaces 2 rows, by the number of the run.
    ring, order = np.zeros((2, 6, 3), np.int16), RingOrder(2, 6, 3, 2, "position")
    model = ring.copy()
    for run in range(7):
        new = np.arange(12, dtype=np.int16).reshape(2, 2, 3) + 100 * run
        first = run % order.period * 2
        ring[:, first : first + 2] = new
        model = np.concatenate([model[:, 2:], new], 1)
        flat = order.oldest_first(ring.reshape(36), run + 1)
        np.testing.assert_array_equal(flat, model.reshape(36))


def test_an_unknown_number_of_runs_is_a_remainder() -> None:
    order = RingOrder(1, 4, 1, 1, "position")
    rows = np.arange(4)
    np.testing.assert_array_equal(order.oldest_first(rows, 4 * 1000 + 3), [3, 0, 1, 2])
