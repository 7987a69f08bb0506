"""The order in which a run of a function calls others, where constants decide it.

::

    f(%a)                           f, g, h, g, h, h: the loop runs both at 0 and 1, and h at 2, too
    for %t = 0 to 3 {by_rows}:
      if %t < 2:
        g(%t)
      h(%t)
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import numpy.typing as npt
from mlir import ir
from mlir.dialects import func, scf

from forebay.ir.liveness.index_values import IndexValues
from forebay.ir.memory.loop_counters import counter_range_of
from forebay.ir.rows.row_offsets import BY_ROWS

_Mask = npt.NDArray[np.bool_]


def calls_in_order(function: func.FuncOp) -> list[func.CallOp]:
    """Return the calls in the order of a run, each as often as it runs.

    Those in the body of the function and in its loops over rows. Calls that data may skip, and
    those in other loops, are left out.
    """
    found: list[func.CallOp] = []
    for op in function.entry_block.operations:
        if isinstance(op, func.CallOp):
            found.append(op)
        elif isinstance(op, scf.ForOp) and BY_ROWS in op.attributes:
            found += _in_loop(op)
    return found


def _in_loop(loop: scf.ForOp) -> Iterator[func.CallOp]:
    counter = counter_range_of(loop)
    if counter is None or counter.low is None or counter.step is None or counter.trips is None:
        return
    trips = counter.trips
    numbers = counter.low + counter.step * np.arange(trips, dtype=np.int64)
    values = IndexValues(loop.induction_variable, numbers)
    calls = list(_guarded(loop.region.blocks[0], np.ones(trips, np.bool_), values))
    for trip in range(trips):
        yield from (call for call, runs in calls if runs[trip])


def _guarded(
    block: ir.Block, runs: _Mask, values: IndexValues
) -> Iterator[tuple[func.CallOp, _Mask]]:
    """Yield the calls of a block with the iterations that run them."""
    for op in block.operations:
        if isinstance(op, func.CallOp):
            yield op, runs
        elif isinstance(op, scf.IfOp):
            condition = values.of(op.condition)
            if condition is None:
                continue
            for region, taken in zip(op.regions, (condition != 0, condition == 0), strict=True):
                for inner in region.blocks:
                    yield from _guarded(inner, runs & taken, values)
