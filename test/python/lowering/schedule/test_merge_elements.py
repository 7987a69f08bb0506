"""Merged loops of elements: the same values, for drawn shapes and maps."""

from __future__ import annotations

import random

import numpy as np
from common.host_jit import LLVM, LOOPS, invoke, lower
from common.oracles.unoptimized_jit import UnoptimizedEngine
from mlir import ir
from mlir.dialects import linalg

from forebay.ir.nested import ops_nested_in
from forebay.lowering.schedule.merge_elements import merge_elements


def program(shape: tuple[int, ...], kept: list[int], broadcast: list[int]) -> str:
    """Subtract a memref of the kept dimensions from one of all.

    Those of `broadcast` have size 1 in it.
    """
    dims = [f"d{d}" for d in range(len(shape))]
    index = ["0" if d in broadcast else f"d{d}" for d in kept]
    sizes = [1 if d in broadcast else shape[d] for d in kept]
    whole = "x".join(map(str, (*shape, "i32")))
    part = "x".join(map(str, (*sizes, "i32")))
    all_dims = ", ".join(dims)
    kinds = ", ".join(['"parallel"'] * len(shape))
    return f"""
#e = affine_map<({all_dims}) -> ({all_dims})>
#p = affine_map<({all_dims}) -> ({", ".join(index)})>
func.func @main(%a: memref<{whole}>, %b: memref<{part}>, %c: memref<{whole}>)
    attributes {{llvm.emit_c_interface}} {{
  linalg.generic {{indexing_maps = [#e, #p, #e], iterator_types = [{kinds}]}}
    ins(%a, %b : memref<{whole}>, memref<{part}>) outs(%c : memref<{whole}>) {{
    ^bb0(%x: i32, %y: i32, %z: i32):
      %d = arith.subi %x, %y : i32
      linalg.yield %d : i32
    }}
  return
}}"""


def test_merged_loops_compute_the_same_values() -> None:
    merged_runs = 0
    for seed in range(40):
        draw = random.Random(seed)
        shape = tuple(draw.randint(1, 4) for _ in range(draw.randint(1, 4)))
        kept = sorted(draw.sample(range(len(shape)), draw.randint(0, len(shape))))
        broadcast = [d for d in kept if draw.random() < 0.3]
        rng = np.random.default_rng(seed)
        whole = rng.integers(-99, 99, shape).astype(np.int32)
        sizes = [1 if d in broadcast else shape[d] for d in kept]
        part = rng.integers(-99, 99, sizes).astype(np.int32)
        result = np.zeros(shape, np.int32)
        with ir.Context(), ir.Location.unknown():
            module = ir.Module.parse(program(shape, kept, broadcast))
            (op,) = (o for o in ops_nested_in(module.operation) if isinstance(o, linalg.GenericOp))
            merged = merge_elements(op)
            merged_runs += len(merged.iterator_types) < len(shape)
            lower(module, LOOPS, LLVM)
            engine = UnoptimizedEngine(module)
            invoke(engine, [whole, part, result])
        axes = tuple(slice(None) if d in kept else None for d in range(len(shape)))
        np.testing.assert_array_equal(result, whole - part[axes])
    assert merged_runs > 10


def test_as_few_loops_as_runs_of_memory() -> None:
    with ir.Context(), ir.Location.unknown():
        module = ir.Module.parse(program((1, 5, 6, 8), [3], []))
        (op,) = (o for o in ops_nested_in(module.operation) if isinstance(o, linalg.GenericOp))
        merged = merge_elements(op)
        shapes = [ir.MemRefType(value.type).shape for value in [*merged.inputs, *merged.outputs]]
    assert shapes == [[30, 8], [8], [30, 8]]
