"""Runs modules at LLVM's level 0, for programs that a test runs a few times.

The engine of the bindings runs LLVM's code generator at its default level, whatever level it is
created with, which takes three times as long.
"""

from __future__ import annotations

import ctypes
from functools import cache
from pathlib import Path
from typing import Any

from mlir import execution_engine, ir

from forebay._libs import _forebay

_RUNNER_UTILS = Path(execution_engine.__file__).parent / "lib" / "libmlir_c_runner_utils.so"


class UnoptimizedEngine:
    """A module in LLVM's dialect as machine code; it may call MLIR's runtime functions."""

    def __init__(self, module: ir.Module) -> None:
        _load_runner_utils()
        self._engine = _forebay.create_unoptimized_engine(module.operation)

    def invoke(self, name: str, *arguments: Any) -> None:
        """Call a function with C's convention; the arguments are pointers to its own."""
        pointers = [ctypes.cast(argument, ctypes.c_void_p) for argument in arguments]
        wrapper = self._engine.raw_lookup(f"_mlir_ciface_{name}")
        ctypes.CFUNCTYPE(None, ctypes.c_void_p)(wrapper)(
            (ctypes.c_void_p * len(pointers))(*pointers)
        )

    def register_runtime(self, name: str, callback: Any) -> None:
        """Let the module call a function of ctypes, which must outlive the engine."""
        address = ctypes.cast(callback, ctypes.c_void_p)
        self._engine.raw_register_runtime(f"_mlir_ciface_{name}", address)


@cache
def _load_runner_utils() -> ctypes.CDLL:
    """Make MLIR's runtime functions visible to the engines of this process."""
    return ctypes.CDLL(str(_RUNNER_UTILS), mode=ctypes.RTLD_GLOBAL)
