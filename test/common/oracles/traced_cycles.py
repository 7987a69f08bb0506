"""Runs MLIR text of cycles with upstream passes and LLVM, with no pass of Forebay."""

from __future__ import annotations

import ctypes
from collections.abc import Sequence

from mlir import ir, passmanager

from common.oracles.contexts import kernel_context
from common.oracles.unoptimized_jit import UnoptimizedEngine

_LLVM = (
    "builtin.module(func.func(llvm-request-c-wrappers),arith-expand,"
    "convert-arith-to-llvm,convert-func-to-llvm,reconcile-unrealized-casts)"
)


class CompiledCycles:
    """The compiled text of an intrinsic's cycles."""

    def __init__(self, text: str) -> None:
        with kernel_context(), ir.Location.unknown():
            module = ir.Module.parse(text)
            passmanager.PassManager.parse(_LLVM).run(module.operation)
            self._engine = UnoptimizedEngine(module)

    def __call__(self, scalars: Sequence[int]) -> int:
        """Return the cycles for the scalars."""
        result = ctypes.c_int64()
        values = [ctypes.pointer(ctypes.c_int32(value)) for value in scalars]
        self._engine.invoke("reference", *values, ctypes.pointer(result))
        return result.value
