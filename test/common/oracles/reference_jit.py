"""Executes the reference of an intrinsic: upstream passes and LLVM, no pass of Forebay."""

from __future__ import annotations

import ctypes
from collections.abc import Mapping, Sequence

import numpy as np
from mlir import ir, passmanager, runtime

from common.oracles.contexts import kernel_context
from common.oracles.unoptimized_jit import UnoptimizedEngine
from forebay.targets import Device, Intrinsic

_LLVM = (
    "builtin.module(func.func(llvm-request-c-wrappers),convert-scf-to-cf,"
    "convert-arith-to-llvm,finalize-memref-to-llvm,convert-func-to-llvm,convert-cf-to-llvm,"
    "reconcile-unrealized-casts)"
)


class Reference:
    """The compiled reference of an intrinsic."""

    def __init__(self, intrinsic: Intrinsic) -> None:
        assert intrinsic.reference is not None
        self._intrinsic = intrinsic
        with kernel_context(), ir.Location.unknown():
            module = ir.Module.parse(intrinsic.reference)
            passmanager.PassManager.parse(_LLVM).run(module.operation)
            self._engine = UnoptimizedEngine(module)

    def __call__(self, pointers: Sequence[np.ndarray], scalars: Mapping[str, int]) -> None:
        """Run it on contiguous arrays, which it writes where it does."""
        assert set(scalars) == set(self._intrinsic.scalars)
        flat = [array.reshape(-1) for array in pointers]
        assert all(np.shares_memory(a, b) for a, b in zip(flat, pointers, strict=True))
        arguments = [
            ctypes.pointer(ctypes.pointer(runtime.get_ranked_memref_descriptor(array)))
            for array in flat
        ]
        values = [ctypes.pointer(ctypes.c_int32(scalars[n])) for n in self._intrinsic.scalars]
        self._engine.invoke("reference", *arguments, *values)


def intrinsic_of(device: Device, name: str) -> Intrinsic:
    return next(intrinsic for intrinsic in device.intrinsics if intrinsic.name == name)
