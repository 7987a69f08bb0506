"""Hand-planned modules for the emulator, with a location on each op that messages name."""

from __future__ import annotations

from typing import Any

import numpy as np
from mlir import ir

import forebay.passes  # noqa: F401  (dialects and passes)
from common.oracles.contexts import kernel_context
from forebay.emulator import Emulator

WS = "#memref_pool.space<@ws>"
POOLS = "memref_pool.pool @ws workspace capacity 256 align 16\n"
ALLOC = 'memref_pool.alloc at <@ws, {}> : memref<16xi8, #ws> loc("{}"("n.mlir":{}:1))'
FILL = 'linalg.fill ins(%x : i8) outs(%{} : memref<16xi8, #ws>) loc("n.mlir":{}:1)'
OUT = 'memref.copy %{}, %out : memref<16xi8, #ws> to memref<16xi8> loc("n.mlir":{}:1)'


def main(*lines: str) -> str:
    body = "\n  ".join(lines)
    return (
        'func.func @main(%out: memref<16xi8> {accel.name = "y", bufferize.result}) {\n'
        f"  %x = arith.constant 7 : i8\n  {body}\n  return\n}}\n"
    )


def emulator(text: str, **options: Any) -> Emulator:
    """An emulator of the module; POOLS stands in front where the text declares no pool."""
    source = text if "memref_pool.pool" in text else POOLS + text
    with kernel_context():
        module = ir.Module.parse(source.replace("#ws", WS))
    return Emulator(module.operation, **options)


def run(text: str, *inputs: np.ndarray, **options: Any) -> tuple[np.ndarray, ...]:
    """The outputs of `@main`."""
    return emulator(text, **options).call("main", inputs)
