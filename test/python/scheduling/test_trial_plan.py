"""What a trial plan admits, and what it asks a planner for."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from mlir import ir
from mlir.dialects import scf
from msgspec.structs import replace

from forebay.dialects.memref_pool import AllocOp
from forebay.ir.module import module_of
from forebay.ir.nested import ops_nested_in
from forebay.scheduling import trial_plan
from forebay.scheduling.trial_plan import LifetimeExtension, TrialPlan

HEAD = """
accel.device @cpu kind "cpu" host
memref_pool.pool @spad workspace capacity 48 base 0 read [@cpu] write [@cpu]
"""
TILE = "memref<16xi8, #memref_pool.space<@spad>>"
LOOP = """
  scf.for %i = %c0 to %c8 step %c1 {
    %a = memref_pool.alloc : TILE
    memref.store %v, %a[%c0] : TILE
  }"""
FUNCTION = f"""
func.func private @f() {{
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %v = arith.constant 1 : i8
  %b = memref_pool.alloc : TILE
  memref.store %v, %b[%c0] : TILE{LOOP}{LOOP}
  return
}}"""
WIDE = """
  %w = memref_pool.alloc : memref<48xi8, #memref_pool.space<@spad>>
  memref.store %v, %w[%c0] : memref<48xi8, #memref_pool.space<@spad>>"""
MAIN = """
func.func @main() {
  %c0 = arith.constant 0 : index
  %v = arith.constant 1 : i8
  call @f() : () -> ()BETWEEN
  call @f() : () -> ()
  return
}"""


@pytest.fixture(autouse=True)
def _context() -> Iterator[None]:
    import forebay.dialects  # noqa: F401

    with ir.Context(), ir.Location.unknown():
        yield


class Program:
    """Two loops in a function that is called twice, each with a buffer of 16 of 48 bytes."""

    def __init__(self, between: str = "") -> None:
        text = HEAD + FUNCTION + MAIN.replace("BETWEEN", between)
        self.module = module_of(ir.Module.parse(text.replace("TILE", TILE)))
        self.loops = [op for op in ops_nested_in(self.module) if isinstance(op, scf.ForOp)]
        self.plan = TrialPlan(self.module)

    def request(self, loop: int, copies: int) -> list[LifetimeExtension]:
        ops = ops_nested_in(self.loops[loop])
        buffer = next(op for op in ops if isinstance(op, AllocOp))
        return [LifetimeExtension(buffer.memref, [self.loops[loop]], copies)]

    def admits(self, loop: int, copies: int) -> bool:
        return self.plan.admits(self.request(loop, copies))


def test_a_loop_has_the_room_that_another_loop_does_not_use_meanwhile() -> None:
    program = Program()
    assert program.admits(0, 3)
    assert not program.admits(1, 4)
    assert program.admits(1, 3)


def test_a_buffer_is_not_live_between_two_calls_of_its_function() -> None:
    """Between the calls, all 48 bytes belong to another buffer."""
    program = Program(WIDE)
    assert program.admits(0, 3)
    assert program.admits(1, 3)


def test_room_beside_the_plan_needs_no_other_plan(monkeypatch: pytest.MonkeyPatch) -> None:
    program = Program()
    assert program.admits(0, 2)
    monkeypatch.setattr(trial_plan, "plan", None)
    assert program.admits(0, 1)
    assert program.admits(1, 3)


def test_more_bytes_than_the_pool_has_need_no_plan(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(trial_plan, "plan", None)
    program = Program()
    assert not program.admits(0, 4)
    assert program.plan.has_refused


def test_the_buffers_of_a_replaced_loop_keep_their_room() -> None:
    program = Program()
    (request,) = program.request(1, 1)
    assert program.admits(0, 3)
    program.plan.forget(program.loops[0])
    program.loops[0].operation.erase()
    first_op_too = replace(request, ops=ops_nested_in(program.module))
    assert not program.plan.admits([first_op_too])
    assert program.admits(1, 3)
