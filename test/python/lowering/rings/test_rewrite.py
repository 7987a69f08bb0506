"""Rings in the program: the same sums after any number of runs, and nothing moves."""

from __future__ import annotations

import itertools
from collections.abc import Iterator

import numpy as np
import pytest
from common.models.ring_programs import ring_program
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


_ALIASES = ("window", "state", "weights", "kept", "old", "new", "input", "rows", "out")


def _two_functions() -> str:
    """Return a program with two functions, each with a ring of its own, of 4 and of 3 rows."""
    first, second = ring_program(4), ring_program(3)
    for name in ("@s", "@w ", "@w:", "@main"):
        second = second.replace(name, f"@other_{name[1:]}")
    head, reset = first.split("func.func @reset() {")
    own, other_reset = second.split("func.func @reset() {")
    pools = own.index("memref_pool.pool @ws"), own.index("memref.global")
    names = {f"{mark}{name}": f"{mark}other_{name}" for mark in "!#" for name in _ALIASES}
    own = own[: pools[0]] + own[pools[1] :]
    for old, new in names.items():
        own, other_reset = own.replace(old, new), other_reset.replace(old, new)
    body = other_reset.replace("%s", "%t").replace("%zero", "%none")
    return f"{head}{own}func.func @reset() {{{reset.rsplit('return', 1)[0]}{body}"


def test_each_function_has_a_position_of_its_own() -> None:
    with ir.Context(), ir.Location.unknown():
        host = 'accel.device @host kind "cpu" host\n'
        module = ir.Module.parse(host + _two_functions())
        run_pipeline(module, "builtin.module(memref-pool-shift-state)")
        emulator = Emulator(module.operation, placed=False)
        assert {"position", "position_0"} < set(emulator.state)
        emulator.call("reset")
        others = runs(3, 1, 12)
        for number, (x, y, _) in enumerate(runs(4, 1, 9)):
            np.testing.assert_array_equal(emulator.call("main", [x])[0], y)
            for new, sums, state in itertools.islice(others, number % 3):
                np.testing.assert_array_equal(emulator.call("other_main", [new])[0], sums)
                np.testing.assert_array_equal(emulator.state["other_s"], state)
