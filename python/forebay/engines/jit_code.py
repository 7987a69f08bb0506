"""Machine code of a module in this process: fast to compile at first, then fast to run."""

from __future__ import annotations

import ctypes
import time
from collections.abc import Mapping
from typing import Any

from mlir._mlir_libs._mlirExecutionEngine import ExecutionEngine
from mlir.ir import Module

from forebay._libs import _forebay
from forebay.engines.llvm_lowering import fold_descriptors
from forebay.ir.nested import ops_nested_in

OPTIMIZED = 2  # LLVM's level for modules that run often
_OPTIMIZE_AFTER = 5.0
"""How many times the time of its compilation code of level 0 runs before it is replaced.

The compilation of optimised code takes about as long.
"""
_MOST_OPS = 5000
"""Operations of a function that LLVM optimises: straight-line code of many tiles takes minutes."""


class JitCode:
    """The functions of a module in LLVM's dialect, which this object changes and keeps.

    LLVM compiles at level 0, many times faster, and once more with optimizations before a call if
    those before it took about as long as that takes; `optimized` code is so from the start. Modules
    with very large functions are never optimised. `symbols` are addresses of external functions.
    Raises `RuntimeError` if LLVM refuses the module.
    """

    def __init__(
        self,
        module: Module,
        symbols: Mapping[str, ctypes.c_void_p] | None = None,
        *,
        optimized: bool = False,
    ) -> None:
        self._module = module
        self._symbols = symbols or {}
        self._functions: dict[str, Any] = {}
        self._compiling, self._running = 0.0, 0.0
        fold_descriptors(module)
        start = time.perf_counter()
        self._use(_forebay.create_unoptimized_engine(module.operation))
        self._compiling = time.perf_counter() - start
        self._is_final = False
        if optimized:
            self._optimize()

    def call(self, name: str, packed: ctypes.Array[ctypes.c_void_p]) -> None:
        """Call the wrapper of a function that MLIR makes: it takes an array of pointers to values.

        The array has pointers to arguments, and then to results.
        """
        if not self._is_final and self._running > _OPTIMIZE_AFTER * self._compiling:
            self._optimize()
        function = self._functions.get(name) or self._function(name)
        start = time.perf_counter()
        function(packed)
        self._running += time.perf_counter() - start

    def _function(self, name: str) -> Any:
        start = time.perf_counter()
        wrapper = self._engine.raw_lookup(name)  # the first time it compiles
        self._compiling += time.perf_counter() - start
        function = ctypes.CFUNCTYPE(None, ctypes.c_void_p)(wrapper)
        self._functions[name] = function
        return function

    def _optimize(self) -> None:
        """Use optimised code from now on, unless a function is too large."""
        self._is_final = True
        if _largest_function(self._module) <= _MOST_OPS:
            self._use(ExecutionEngine(self._module, opt_level=OPTIMIZED))

    def _use(self, engine: ExecutionEngine) -> None:
        """Call the functions of this engine from now on."""
        for symbol, address in self._symbols.items():
            engine.raw_register_runtime(symbol, address)
        self._functions.clear()
        self._engine = engine


def _largest_function(module: Module) -> int:
    """Return the number of operations of the largest function."""
    functions = (op.operation for op in module.body.operations)
    return max(sum(1 for _ in ops_nested_in(op)) for op in functions)
