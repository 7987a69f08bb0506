"""The bytes granted to a stage, as a function attribute between lowering and the final plan."""

from __future__ import annotations

from collections.abc import Mapping

from mlir import ir
from mlir.dialects import func

_GRANTED = "accel.granted"


def grant(function: func.FuncOp, free: Mapping[str, int]) -> None:
    """Record on a function how many bytes per pool its allocations may take."""
    i64 = ir.IntegerType.get_signless(64)
    function.attributes[_GRANTED] = ir.DictAttr.get(
        {pool: ir.IntegerAttr.get(i64, bytes_) for pool, bytes_ in free.items()}
    )


def granted(function: func.FuncOp) -> Mapping[str, int] | None:
    """Return the bytes per pool granted to a function; None for a function that no stage made."""
    if _GRANTED not in function.attributes:
        return None
    entries = ir.DictAttr(function.attributes[_GRANTED])
    return {
        entries[index].name: ir.IntegerAttr(entries[index].attr).value
        for index in range(len(entries))
    }
