"""Calls of intrinsics: the operands' addresses, then the scalars."""

from __future__ import annotations

from typing import Any

from mlir.ir import DictAttr, MemRefType, StringAttr

from forebay.dialects.accel import CallOp
from forebay.ir.devices import intrinsic_of
from forebay.ir.intrinsics import operands_in_order
from forebay.ir.layouts import is_contiguous

from . import expr
from .func import argument
from .function import FunctionPrinter
from .registry import check, statement
from .types import scalar_type


@statement(CallOp)
def call(op: CallOp, f: FunctionPrinter) -> None:
    """`accel_conv2d(x, w, y, 8, 8);`."""
    intrinsic = intrinsic_of(op)
    operands = [op.operands[index] for index in operands_in_order(op)]
    config: Any = {} if op.config is None else DictAttr(op.config)
    arguments = (
        *(argument(o, scalar_type(MemRefType(o.type).element_type), f) for o in operands),
        *(expr.integer(config[StringAttr(name).value].value) for name in intrinsic.scalars),
    )
    f.settle()
    f.line(f"{expr.call(intrinsic.symbol.value, arguments, 'void').text};")


@check(CallOp)
def _check(op: CallOp) -> str | None:
    for value in op.operands:
        if isinstance(value.type, MemRefType) and not is_contiguous(value.type):
            return f"an intrinsic gets the address of contiguous memory, but {value.type} is not"
    return None
