"""Compare tensors with the model's while LLVM's code runs.

After the last op of each operator in `@main`, the code calls a function of this process. The
function reads the tensor at its planned placement.
"""

from __future__ import annotations

import ctypes
import io
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from mlir import ir
from mlir.dialects import arith, func
from numpy.typing import NDArray

from forebay.dialects.memref_pool import AllocOp
from forebay.engines.llvm import LlvmEngine
from forebay.ir.locations import ModelLocation, model_location_of
from forebay.pipelines.build import BuiltProgram
from forebay.planning import Placement
from forebay.values.holders import Holder, holders_of
from forebay.values.model import ModelValues
from forebay.values.tensors import differing_elements

_SYMBOL = "forebay_checkpoint"


@dataclass(frozen=True, eq=False)
class _Checkpoint:
    """A tensor and its planned placement."""

    holder: Holder
    place: Placement


def first_wrong_in_code(
    built: BuiltProgram,
    values: ModelValues,
    inputs: Sequence[tuple[NDArray[Any], ...]],
) -> tuple[str, str] | None:
    """Return the first operator whose tensor differs in the code, and how, or None."""
    planned = (_checkpoint(holder) for holder in holders_of(built.planned, values.tensors))
    checkpoints = {c.holder.tensor.origin: c for c in planned if c is not None}
    wrong: list[tuple[str, str]] = []
    expected: dict[ModelLocation, NDArray[Any]] = {}
    passed: list[_Checkpoint] = []

    def compare(number: int) -> None:
        checkpoint = passed[number]
        wanted = expected[checkpoint.holder.tensor.origin]
        message = _difference(checkpoint, engine.pools[checkpoint.place.pool], wanted)
        if message is not None:
            wrong.append((checkpoint.holder.tensor.operator, message))

    module = _with_calls(built.final, checkpoints, passed)
    callback = ctypes.CFUNCTYPE(None, ctypes.c_int32)(compare)
    engine = LlvmEngine(module, built.info, callbacks={_SYMBOL: callback})
    engine.reset()
    for step in inputs:
        expected.update(values.run(step).tensors)
        engine.run(step)
        if wrong:
            return wrong[0]
    return None


def _checkpoint(holder: Holder) -> _Checkpoint | None:
    owner: Any = holder.value.owner
    if isinstance(owner, ir.Block) or not isinstance(owner.operation.opview, AllocOp):
        return None
    place = owner.operation.opview.placement
    return None if place is None else _Checkpoint(holder, Placement(place.pool, place.offset))


def _with_calls(
    final: ir.Module, checkpoints: dict[ModelLocation, _Checkpoint], passed: list[_Checkpoint]
) -> ir.Module:
    """Return a copy that calls back after each operator with a checkpoint, with its number."""
    bytecode = io.BytesIO()
    final.operation.write_bytecode(bytecode)
    with final.context, final.operation.location:
        copy = ir.Module.parse(bytecode.getvalue())
        i32 = ir.IntegerType.get_signless(32)
        functions = [op for op in copy.body.operations if isinstance(op, func.FuncOp)]
        main = next(op for op in functions if op.name.value == "main")
        with ir.InsertionPoint(copy.body):
            func.FuncOp(_SYMBOL, ([i32], []), visibility="private")
        last = {model_location_of(op.location): op for op in main.entry_block.operations}
        *_, end = main.entry_block.operations
        for origin, checkpoint in checkpoints.items():
            op = last.get(origin)
            if op is None or op == end:
                continue
            with ir.InsertionPoint.after(op), op.location:
                number = arith.ConstantOp(i32, len(passed)).result
                func.CallOp([], _SYMBOL, [number])
            passed.append(checkpoint)
    return copy


def _difference(
    checkpoint: _Checkpoint, pool: NDArray[np.uint8], wanted: NDArray[Any]
) -> str | None:
    layout, offset = checkpoint.holder.layout, checkpoint.place.offset
    dtype = np.dtype(checkpoint.holder.tensor.dtype)
    size = int(np.prod(layout.shape)) * dtype.itemsize
    found = pool[offset : offset + size].view(dtype)[layout.elements]
    flat = np.ascontiguousarray(wanted).reshape(-1)
    wrong = np.flatnonzero(differing_elements(found, flat))
    if not wrong.size:
        return None
    first = int(wrong[0])
    element = [int(i) for i in np.unravel_index(first, wanted.shape)]
    return (
        f"the code made of the planned program leaves {found[first].item()} in element {element}, "
        f"where the model has {flat[first].item()}; {wrong.size:,} of {wanted.size:,} elements "
        "differ"
    )
