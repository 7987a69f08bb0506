"""Overlapped straight-line code computes what it did in order, faster, and misses each token."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from common.injection.edit import without_operands
from common.programs.straight_tiles import BYTES, Tiles, emulated
from mlir import ir

import forebay
from forebay.dialects.accel import LaunchOp, StartOp, WaitOp
from forebay.driver.summary import summary
from forebay.emulator import Emulator
from forebay.emulator.memory.faults import LiveOverwrite, NotWaited, QueueFull, StillInFlight
from forebay.ir.module import module_of
from forebay.ir.nested import ops_nested_in
from forebay.ir.problem.problem import plan_of
from forebay.pipelines import PipelineError, run_pipeline

LOAD = STORE = 8 + BYTES // 4


@pytest.fixture(autouse=True)
def _context() -> Iterator[None]:
    with ir.Context(), ir.Location.unknown():
        yield


@pytest.mark.parametrize("shared", [False, True])
@pytest.mark.parametrize("depth", [1, 2, 4])
@pytest.mark.parametrize("capacity", [2, 3, 4, 8])
@pytest.mark.parametrize("in_flight", [1, 2, 3])
def test_outputs_are_those_in_order(
    shared: bool, depth: int, capacity: int, in_flight: int
) -> None:
    tiles = Tiles(6, capacity * BYTES, depth=depth, shared=shared)
    x = tiles.inputs()
    y, cycles = emulated(tiles.planned(in_flight), x)
    np.testing.assert_array_equal(y, 2 * x)
    in_order = tiles.count * (LOAD + tiles.cycles + STORE)
    # With the bytes of one tile, only its store overlaps with the next load.
    assert cycles < in_order if in_flight > 1 and capacity > 2 else cycles <= in_order


@pytest.mark.parametrize("cycles", [10, 24, 30, 48, 100])
@pytest.mark.parametrize("shared", [False, True])
def test_two_tiles_suffice_for_the_busiest_queue(cycles: int, shared: bool) -> None:
    """The other queues add the first load and the last store."""
    tiles = Tiles(40, 4 * BYTES, cycles=cycles, shared=shared)
    _, taken = emulated(tiles.planned(), tiles.inputs())
    transfers = LOAD + STORE if shared else LOAD
    busiest = tiles.count * max(cycles, transfers)
    assert busiest <= taken <= busiest + LOAD + STORE + cycles


def test_little_memory_gives_less_overlap_and_a_plan() -> None:
    """Each size of the pool has a plan, and more bytes never take more cycles."""
    taken = [
        emulated(Tiles(12, capacity * BYTES).planned(), Tiles(12).inputs())[1]
        for capacity in (2, 3, 4, 5, 8)
    ]
    assert taken == sorted(taken, reverse=True)
    assert taken[0] > taken[2]


def test_tiles_in_flight_bound_the_bytes_of_an_unlimited_pool() -> None:
    for in_flight, most in ((2, 5), (3, 7)):
        plan = plan_of(module_of(Tiles(20, 1 << 20).planned(in_flight)))
        assert plan.peak("spad") <= most * BYTES


def starting(program: ir.Operation) -> list[StartOp | LaunchOp]:
    return [op for op in ops_nested_in(program) if isinstance(op, StartOp | LaunchOp)]


def verified(program: ir.Operation) -> None:
    module = ir.Module.parse(str(program))
    run_pipeline(module, "builtin.module(memref-pool-verify-plan)")


def test_every_token_between_queues_is_missed_by_emulator_and_plan_check() -> None:
    tiles = Tiles(4)
    program = tiles.planned().operation
    tokens = [(n, k) for n, op in enumerate(starting(program)) for k in range(len(op.after))]
    assert len(tokens) >= 2 * tiles.count - 1
    for number, token in tokens:
        clone = program.clone().operation
        op = starting(clone)[number]
        without_operands(op, [len(op.operands) - len(op.after) + token])
        with pytest.raises(StillInFlight):
            Emulator(clone).call("main", [tiles.inputs()])
        with pytest.raises(PipelineError):
            verified(clone)


def test_every_wait_is_missed_by_the_emulator() -> None:
    tiles = Tiles(6)
    program = tiles.planned().operation
    waits = [op for op in ops_nested_in(program) if isinstance(op, WaitOp)]
    assert len(waits) >= tiles.count - 1
    for number in range(len(waits)):
        clone = program.clone().operation
        [op for op in ops_nested_in(clone) if isinstance(op, WaitOp)][number].erase()
        with pytest.raises((StillInFlight, NotWaited, QueueFull, LiveOverwrite)):
            Emulator(clone).call("main", [tiles.inputs()])


def test_a_wait_behind_the_start_that_needs_it_is_missed() -> None:
    tiles = Tiles(6)
    program = tiles.planned().operation
    count = sum(isinstance(op, WaitOp) for op in ops_nested_in(program))
    for number in range(count - 1):
        clone = program.clone().operation
        ops = ops_nested_in(clone)
        wait = [op for op in ops if isinstance(op, WaitOp)][number]
        behind = ops[ops.index(wait) :]
        wait.move_after(next(op for op in behind if isinstance(op, StartOp | LaunchOp)))
        with pytest.raises((StillInFlight, QueueFull, LiveOverwrite)):
            Emulator(clone).call("main", [tiles.inputs()])
        with pytest.raises(PipelineError):
            verified(clone)


def test_compiled_code_overlaps(tmp_path: Path) -> None:
    tiles = Tiles(5)
    (tmp_path / "tiles.mlir").write_text(tiles.text, "utf-8")
    compiled = forebay.compile(tmp_path / "tiles.mlir", io="pool", verify_each=True)
    assert compiled.plan.unoverlapped == ()
    x = tiles.inputs()
    for engine in ("emulator", "c", "llvm"):
        np.testing.assert_array_equal(compiled.run(x, engine=engine), 2 * x)
    np.testing.assert_array_equal(compiled.checked("c").run([x])[0], 2 * x)
    compiled.write(tmp_path / "out")
    text = "".join(path.read_text("utf-8") for path in (tmp_path / "out").glob("*.c"))
    assert "npu_in_start(" in text
    assert "npu_run_after(" in text


def test_straight_code_that_stays_says_why_in_the_report(tmp_path: Path) -> None:
    (tmp_path / "tile.mlir").write_text(Tiles(1).text, "utf-8")
    compiled = forebay.compile(tmp_path / "tile.mlir", io="pool")
    (found,) = compiled.plan.unoverlapped
    assert "tile.mlir:" in found.where
    assert found.reason == "each of its operations needs the one before"
    assert str(found) in summary(compiled)
