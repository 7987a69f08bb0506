"""Rings in the program: the same sums after any number of runs, and nothing moves."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest
from common.programs.ring_programs import ring_program
from mlir import ir
from mlir.dialects import memref

import forebay.passes  # noqa: F401  # pyright: ignore[reportUnusedImport]  (registers)
from forebay.dialects import memref_pool
from forebay.emulator import Emulator
from forebay.ir.nested import ops_of
from forebay.pipelines.runner import run_pipeline
from forebay.support.arrays import Array

FORMS = [(4, 1), (6, 2), (3, 1), (2, 1), (9, 3)]


def shifted(rows: int, new: int) -> ir.Module:
    """Return a program with the devices that the emulator needs, in which state is a ring."""
    host = 'accel.device @host kind "cpu" host\n'
    module = ir.Module.parse(host + ring_program(rows, new))
    run_pipeline(module, "builtin.module(memref-pool-shift-state)")
    return module


def runs(rows: int, new: int, count: int) -> Iterator[tuple[Array, Array, Array]]:
    """Yield new rows, the sums of all rows and the state behind each run from a reset."""
    random, state = np.random.default_rng(rows), np.zeros((2, rows), np.int8)
    weights = np.array(
        [[row * 3 + channel * 40 + 1 for row in range(rows)] for channel in range(2)]
    )
    for _ in range(count):
        x = random.integers(-128, 128, (2, new)).astype(np.int8)
        state = np.concatenate([state[:, new:], x], 1)
        yield x, (state * weights).sum(1).astype(np.int32), state


@pytest.mark.parametrize(("rows", "new"), FORMS)
def test_sums_and_state_are_those_of_a_window(rows: int, new: int) -> None:
    with ir.Context(), ir.Location.unknown():
        emulator = Emulator(shifted(rows, new).operation, placed=False)
        for _ in range(2):
            emulator.call("reset")
            for x, y, state in runs(rows, new, 2 * rows + 1):
                np.testing.assert_array_equal(emulator.call("main", [x])[0], y)
                np.testing.assert_array_equal(emulator.state["s"], state)


@pytest.mark.parametrize(("rows", "new"), FORMS)
def test_nothing_moves(rows: int, new: int) -> None:
    with ir.Context(), ir.Location.unknown():
        module = shifted(rows, new)
        assert not ops_of(module.operation, memref_pool.CopyOp, memref_pool.AllocOp)
        [copy] = ops_of(module.operation, memref.CopyOp)
        assert list(ir.MemRefType(copy.target.type).shape) == [2, new]
        sizes = {
            op.sym_name.value: list(ir.MemRefType(ir.TypeAttr(op.type_).value).shape)
            for op in ops_of(module.operation, memref.GlobalOp)
        }
        assert sizes == {"w": [2, 2 * rows - new], "s": [2, rows], "position": [1]}


def test_a_name_that_is_taken_is_not_that_of_the_position() -> None:
    with ir.Context(), ir.Location.unknown():
        module = ir.Module.parse(ring_program(changes={"@s": "@position"}))
        run_pipeline(module, "builtin.module(memref-pool-shift-state)")
        names = [op.sym_name.value for op in ops_of(module.operation, memref.GlobalOp)]
        assert sorted(names) == ["position", "position_0", "w"]
        assert module.operation.verify()
