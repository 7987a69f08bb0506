"""Calls of the machine's functions on tensors."""

from __future__ import annotations

from collections.abc import Sequence

from mlir import ir
from mlir.dialects import tensor

from forebay.api.dialects import accel


def device_call(
    device: str,
    name: str,
    inputs: Sequence[ir.Value],
    out: ir.Value,
    *,
    is_changed: bool = False,
    **scalars: int,
) -> ir.Value:
    """Build the call of a function with one output, which it changes or overwrites."""
    word = ir.IntegerType.get_signless(64)
    call = accel.CallOp(
        [out.type],
        f"{device}.{name}",
        list(inputs),
        [out],
        accumulate=[0] if is_changed else None,
        config={key: ir.IntegerAttr.get(word, value) for key, value in scalars.items()},
    )
    return call.result_tensors[0]


def call_scalars(call: accel.CallOp) -> dict[str, int]:
    """Return the scalars of a call by name."""
    assert call.config is not None
    entries = ir.DictAttr(call.config)
    return {entries[i].name: ir.IntegerAttr(entries[i].attr).value for i in range(len(entries))}


def undefined(sizes: Sequence[int], bits: int) -> ir.Value:
    """Build a tensor of integers without content."""
    return tensor.EmptyOp(list(sizes), ir.IntegerType.get_signless(bits)).result
