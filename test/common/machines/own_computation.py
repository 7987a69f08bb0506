"""A device whose file has a computation of its own: the complement of the bits of each element."""

from __future__ import annotations

from typing import ClassVar

from mlir.dialects import tosa

from forebay.api.operators import SingleOp, is_int8, shape_of
from forebay.api.target import (
    Computation,
    ComputedOperator,
    Device,
    Int8,
    Intrinsic,
    Pool,
    Target,
    Transfer,
    TypedPointer,
    loop,
)


def complement(x: TypedPointer[Int8], y: TypedPointer[Int8], *, rows=1, columns):
    """The bits of each element, inverted."""
    for row in loop(rows):
        for column in loop(columns):
            shape = (rows, columns)
            y.shaped(*shape)[row, column] = ~x.shaped(*shape)[row, column]


class Complement(Computation):
    """`complement` of a tensor of two dimensions."""

    title = "complement"
    parallel: ClassVar = ("rows", "columns")
    axes: ClassVar = {"x": ("rows", "columns"), "y": ("rows", "columns")}
    of: ClassVar = (tosa.BitwiseNotOp,)
    conditions: ClassVar = (
        ("int8", lambda view: is_int8(view.source)),
        ("two dimensions", lambda view: len(shape_of(view.source)) == 2),
    )
    reference: ClassVar = staticmethod(complement)

    def operator(self, view: SingleOp) -> ComputedOperator:
        """The tensor and its sizes."""
        rows, columns = shape_of(view.source)
        return ComputedOperator({"x": view.source}, {"rows": rows, "columns": columns})


def target(*, spad: int = 256, rows: int = 1, blocks: int = 0) -> Target:
    """With `rows`, a call takes several; with `blocks`, columns lie in blocks of 4."""
    own, both = ("npu",), ("cpu", "npu")
    layout = "columns/4 rows columns%4"
    intrinsic = Intrinsic(
        "complement",
        "npu_complement",
        computes=Complement(),
        scalars=("rows", "columns") if rows else ("columns",),
        pools={"all": "spad"},
        layouts={"x": layout, "y": layout} if blocks else {},
    )
    return Target(
        "own_computation",
        (
            Device("cpu", kind="cpu", host=True),
            Device(
                "npu",
                kind="npu",
                intrinsics=(intrinsic,),
                transfers=(
                    Transfer("load", "npu_load", ("dram",), ("spad",), rank=2),
                    Transfer("store", "npu_store", ("spad",), ("dram",), rank=2),
                ),
            ),
        ),
        (
            Pool("dram", "workspace", readers=both, writers=both),
            Pool("spad", "workspace", spad, base=0, local=True, readers=own, writers=own),
            Pool("rom", "constant", readers=both),
        ),
    )
