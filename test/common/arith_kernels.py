"""Loops of one operation over arrays, at the edges of every width: C and LLVM beside NumPy."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from forebay.engines.c import CEngine
from forebay.engines.llvm import LlvmEngine

SANITIZE = ("-std=c99", "-O1", "-ffp-contract=off", "-fsanitize=undefined",
            "-fno-sanitize-recover=all")  # fmt: skip
WIDTHS = (8, 16, 32, 64)


def edges(width: int) -> NDArray[Any]:
    top = 2 ** (width - 1)
    values = [0, 1, -1, 2, -2, 3, 7, -7, 100, -100, top - 1, -top, top // 2, -top // 2 - 1]
    return np.array(values, dtype=f"int{width}")


def pairs(width: int) -> tuple[NDArray[Any], NDArray[Any]]:
    values = edges(width)
    a, b = np.meshgrid(values, values, indexing="ij")
    return a.reshape(-1).copy(), b.reshape(-1).copy()


def elementwise(op: str, count: int, element: str, result: str, operands: int = 2) -> str:
    loads = "\n".join(
        f"%x{i} = memref.load %in{i}[%i] : memref<{count}x{element}>" for i in range(operands)
    )
    return f"""
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %n = arith.constant {count} : index
      scf.for %i = %c0 to %n step %c1 {{
        {loads}
        {op}
        memref.store %r, %out0[%i] : memref<{count}x{result}>
      }}"""


def assert_all_agree(kernel: Any, body: str, inputs: list[Any], expected: NDArray[Any]) -> None:
    module, model = kernel(body, inputs, [expected])
    from_c = CEngine(module, model, SANITIZE).run(inputs)[0]
    np.testing.assert_array_equal(from_c, expected)
    for optimized in (True, False):
        from_llvm = LlvmEngine(module, model, optimized=optimized).run(inputs)[0]
        np.testing.assert_array_equal(from_llvm, expected)
