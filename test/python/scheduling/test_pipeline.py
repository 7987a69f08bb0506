"""Pipelined loops compute what the loop computes, in fewer cycles, and miss each token."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from common.injection.edit import without_operands
from common.programs.tile_loops import (
    BODY,
    HALVES,
    IN_PLACE,
    INPUTS,
    NESTED,
    OUTSIDE,
    STORE,
    Loop,
    X,
    emulated,
    module,
    planned,
)
from mlir import ir

import forebay
from forebay.dialects.accel import LaunchOp, StartOp, WaitOp
from forebay.dialects.memref_pool import AllocOp
from forebay.driver.summary import summary
from forebay.emulator import Emulator, Fault
from forebay.emulator.memory.faults import LiveOverwrite, NotWaited, StillInFlight
from forebay.ir.module import module_of
from forebay.ir.nested import ops_nested_in
from forebay.ir.problem.problem import plan_of


@pytest.fixture(autouse=True)
def _context() -> Iterator[None]:
    with ir.Context(), ir.Location.unknown():
        yield


@pytest.mark.parametrize("slots", [2, 3])
@pytest.mark.parametrize("dynamic", [False, True])
@pytest.mark.parametrize("trips", [1, 2, 3, 4, 5, 7, 8])
def test_outputs_are_those_of_the_loop(trips: int, slots: int, dynamic: bool) -> None:
    loop = Loop(end=8 * trips, dynamic=dynamic)
    y, _ = emulated(module(loop, slots), loop)
    np.testing.assert_array_equal(y, loop.product())


@pytest.mark.parametrize(
    "loop",
    [
        Loop(begin=8, end=61, step=24),
        Loop(begin=8, end=61, step=24, dynamic=True),
        Loop(begin=8, end=64, dynamic=True),
        Loop(begin=16, end=16, dynamic=True),
        Loop(begin=16, end=8, dynamic=True),
    ],
)
def test_bounds_that_no_step_divides(loop: Loop) -> None:
    y, _ = emulated(module(loop, 2), loop)
    np.testing.assert_array_equal(y, loop.product())


CARRIED = (*BODY[:-2], "%y_tile = memref.subview %y[%at, 0] [8, 16] [1, 1] : WHOLE to TILE")
CARRIED = (*CARRIED, STORE[-1], "%eight = arith.constant 8 : index")
LOOPS = {
    "outside": Loop(outside=OUTSIDE, body=tuple(line for line in BODY if line not in OUTSIDE)),
    "halves": Loop(body=HALVES),
    "in place": Loop(outside=("memref.copy %x, %y : WHOLE to WHOLE",), body=IN_PLACE),
    "nested": Loop(body=NESTED),
    "carried": Loop(
        outside=("%from = arith.constant 0 : index",),
        body=(*CARRIED, "%next = arith.addi %at, %eight : index"),
        carried=True,
    ),
}


@pytest.mark.parametrize("dynamic", [False, True])
@pytest.mark.parametrize("kind", LOOPS)
def test_other_bodies_are_pipelined_with_the_same_bits(kind: str, dynamic: bool) -> None:
    loop = replace(LOOPS[kind], dynamic=dynamic)
    (alone, before), (beside, after) = (emulated(module(loop, slots), loop) for slots in (1, 2))
    np.testing.assert_array_equal(beside, alone)
    # Steps that only the run knows may be shorter than a tile, so what is written may be loaded.
    is_left = dynamic and kind == "in place"
    assert after == before if is_left else after < before
    assert np.any(alone)


def test_loads_and_stores_are_hidden_behind_computations() -> None:
    """Sums 16 + 512/8, input and output 16 + 128/8 each, gemm and alu 8 + 4 each."""
    loop = Loop()
    _, alone = emulated(module(loop), loop)
    _, beside = emulated(module(loop, 2), loop)
    weights, sums, tile, store, computed = 48, 80, 32, 32, 12 + 12
    assert alone == weights + 8 * (sums + tile + computed + store)
    # The compute queue, which loads the sums, never rests; behind it the last two stores.
    assert beside == weights + 8 * sums + 7 * computed + 2 * store


def test_a_call_without_a_queue_is_overlapped_too() -> None:
    """The host waits for the calls; the next tile comes in meanwhile."""
    loop = Loop()
    text, changed = re.subn(r"(scalars \[[^]]*\]) queue @npu.compute", r"\1", loop.text)
    assert changed == 2
    alone, beside = (planned(text, slots) for slots in (1, 2))
    (y, before), (z, after) = emulated(alone, loop), emulated(beside, loop)
    np.testing.assert_array_equal(y, loop.product())
    np.testing.assert_array_equal(z, loop.product())
    assert after < 0.6 * before


def test_tiles_take_exactly_two_slots() -> None:
    plans = [plan_of(module_of(module(Loop(), slots))) for slots in (1, 2)]
    for pool, tile in {"inp": 128, "acc": 512, "out": 128}.items():
        assert [plan.peak(pool) for plan in plans] == [tile, 2 * tile]


def started(program: ir.Operation) -> list[StartOp | LaunchOp]:
    return [op for op in ops_nested_in(program) if isinstance(op, StartOp | LaunchOp)]


def test_a_load_that_does_not_wait_for_the_slots_reader_is_missed() -> None:
    """Without the token, the tile two iterations on overwrites what gemm still reads."""
    loop = Loop()
    program = module(loop, 2)
    overwriting = [
        op
        for op in started(program.operation)
        if isinstance(op, StartOp) and op.transfer.value == "npu.load_inp" and len(op.after)
    ]
    assert len(overwriting) == 2 + 2  # of the first two iterations, and of a round
    for number in range(len(overwriting)):
        clone = program.operation.clone().operation
        load = [
            op
            for op in started(clone)
            if str(op.location) == str(overwriting[0].location)
            and isinstance(op, StartOp)
            and len(op.after)
        ][number]
        without_operands(load, [len(load.operands) - 1])
        with pytest.raises(StillInFlight, match=r"accel.start writes .* accel.launch .* reads"):
            Emulator(clone).call("main", INPUTS)


def test_every_wait_is_missed() -> None:
    program = module(Loop(), 2)
    waits = [op for op in ops_nested_in(program.operation) if isinstance(op, WaitOp)]
    idle: list[int] = []
    for number in range(len(waits)):
        clone = program.operation.clone().operation
        [op for op in ops_nested_in(clone) if isinstance(op, WaitOp)][number].erase()
        try:
            Emulator(clone).call("main", INPUTS)
        except (StillInFlight, NotWaited):
            continue
        idle.append(number)
    # A wait for the last store is also one for the store before it in the queue.
    assert idle == [len(waits) - 2]


@pytest.mark.parametrize("pool", ["inp", "acc", "out"])
def test_two_slots_at_one_place_are_missed(pool: str) -> None:
    program = module(Loop(), 2).operation
    one, other = slots_in(program, pool)
    other.placement = one.placement
    with pytest.raises(Fault) as caught:
        Emulator(program).call("main", INPUTS)
    assert isinstance(caught.value, StillInFlight | LiveOverwrite)


@pytest.mark.parametrize("pool", ["inp", "out"])
def test_one_slot_under_a_schedule_for_two_is_missed(pool: str) -> None:
    """One buffer, whose bytes never change hands: a tile is overwritten while it is still read."""
    program = module(Loop(), 2).operation
    one, other = slots_in(program, pool)
    other.memref.replace_all_uses_with(one.memref)
    with pytest.raises(StillInFlight):
        Emulator(program).call("main", INPUTS)


def slots_in(program: ir.Operation, pool: str) -> list[AllocOp]:
    allocs = [op for op in ops_nested_in(program) if isinstance(op, AllocOp)]
    return [op for op in allocs if op.placement.pool == pool]


@pytest.mark.parametrize("dynamic", [False, True])
def test_compiled_code_runs_the_rounds(dynamic: bool, tmp_path: Path) -> None:
    """Memrefs through the whole road; seven tiles leave one behind the rounds."""
    loop = Loop(end=56, dynamic=dynamic)
    (tmp_path / "tiles.mlir").write_text(loop.text, "utf-8")
    # Without the overlap of straight-line code, the calls of the loop behind the rounds stay.
    compiled = forebay.compile(tmp_path / "tiles.mlir", io="pool", in_flight=1)
    assert compiled.plan.unpipelined == ()
    bounds = np.array([loop.begin, loop.end, loop.step], np.int32)
    for engine in ("emulator", "c", "llvm"):
        y = compiled.run(X, bounds, engine=engine)
        np.testing.assert_array_equal(y, loop.product())
    compiled.write(tmp_path / "out")
    text = (tmp_path / "out" / "tiles.c").read_text("utf-8")
    text += (tmp_path / "out" / "tiles_npu.c").read_text("utf-8")
    assert "token_load_inp_start(" in text
    assert ("token_load_inp(" in text) is dynamic


def test_a_loop_that_stays_says_why_in_the_report(tmp_path: Path) -> None:
    text = re.sub(r"(accel.queue @npu.\w+ .* depth) 12", r"\1 1", Loop().text)
    (tmp_path / "tiles.mlir").write_text(text, "utf-8")
    compiled = forebay.compile(tmp_path / "tiles.mlir", io="pool")
    (loop,) = compiled.plan.unpipelined
    assert "tiles.mlir:" in loop.where
    assert "which takes 1, but two iterations must be in it at once" in loop.reason
    assert str(loop) in summary(compiled)
