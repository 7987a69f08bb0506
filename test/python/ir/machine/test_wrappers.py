"""Wrappers as attributes of intrinsics."""

from __future__ import annotations

from mlir import ir

from forebay.dialects import accel
from forebay.ir.machine.wrappers import Wrapper, attach_wrapper, wrapper_of

TEXT = """
accel.device @lib kind "lib"
accel.intrinsic @lib.f on @lib symbol "f" operands []
"""


def test_a_wrapper_reads_back_equal() -> None:
    wrapper = Wrapper('return g("\\n");', ("a.h", "<b.h>"))
    with ir.Context(), ir.Location.unknown():
        module = ir.Module.parse(TEXT)
        op = module.body.operations[1]
        assert isinstance(op, accel.IntrinsicOp)
        assert wrapper_of(op) is None
        attach_wrapper(op, wrapper)
        assert wrapper_of(op) == wrapper
        again = ir.Module.parse(str(module)).body.operations[1]
        assert isinstance(again, accel.IntrinsicOp)
        assert wrapper_of(again) == wrapper
