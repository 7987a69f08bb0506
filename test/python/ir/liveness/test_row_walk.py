"""Lifetimes of rows in loops over ticks, compared with those of a loop that is run in Python."""

from __future__ import annotations

import pytest
from common.programs.cascades import PROGRAMS, SPACE, chain, residual
from mlir import ir

from forebay.ir.liveness.liveness import liveness_of
from forebay.planning import Interval, Lifetime, live

ROWS = f"memref<4x8xi8, #memref_pool.rows<1>, {SPACE}>"
PLAIN = f"memref<4x8xi8, {SPACE}>"
ROW = f"memref<8xi8, {SPACE}>"
PART = f"memref<1x8xi8, strided<[8, 1], offset: ?>, {SPACE}>"


def rows_of(text: str) -> dict[str, tuple[Lifetime, ...]]:
    """Lifetimes per row of those buffers that have them."""
    with ir.Context(), ir.Location.unknown():
        liveness = liveness_of(ir.Module.parse(text).operation.opview)
        return {liveness.buffers[n].name: rows for n, rows in liveness.row_lifetimes.items()}


def lifetimes_of(text: str) -> dict[str, Lifetime]:
    with ir.Context(), ir.Location.unknown():
        liveness = liveness_of(ir.Module.parse(text).operation.opview)
        names = (buffer.name for buffer in liveness.buffers)
        return dict(zip(names, liveness.lifetimes, strict=True))


def loop(body: str, allocs: str = "", *, trips: int = 4, behind: str = "") -> str:
    return f"""
memref_pool.pool @sram workspace
func.func private @use({ROW})
func.func private @use_part({PART})
func.func @main() {{
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %end = arith.constant {trips} : index
  %a = memref_pool.alloc : {ROWS} loc("a")
  {allocs}
  scf.for %t = %c0 to %end step %c1 {{
    {body}
  }} {{memref_pool.by_rows}}
  {behind}
  return
}}
"""


def use(row: str, index: str = "%t", buffer: str = "a") -> str:
    return f"""
    %{row} = memref_pool.row %{buffer}[{index}] : {ROWS} to {ROW}
    func.call @use(%{row}) : ({ROW}) -> ()"""


@pytest.mark.parametrize("name", PROGRAMS)
def test_rows_live_as_in_a_loop_that_is_run(name: str) -> None:
    program = PROGRAMS[name]()
    found = {
        (tensor, number): (lifetime[0].start, lifetime[-1].end)
        for tensor, rows in rows_of(program.text()).items()
        for number, lifetime in enumerate(rows)
    }
    assert found == program.lifetimes()


def test_each_executed_op_is_a_program_point() -> None:
    program = residual()
    with ir.Context(), ir.Location.unknown():
        liveness = liveness_of(ir.Module.parse(program.text()).operation.opview)
        ticks = {access.tick for access in program.accesses()}
        assert len(liveness.ops) == len(ticks)
        assert liveness.row_lifetimes[0][0] == live(0, 2)


def test_two_branches_of_a_guard_run_in_turns() -> None:
    body = f"""
    %odd = arith.remui %t, %c2 : index
    %is_odd = arith.cmpi eq, %odd, %c1 : index
    scf.if %is_odd {{ {use("x")} }} else {{ {use("y", "0")} }}"""
    assert rows_of(loop(body))["a"] == (live(0, 3), live(1, 2), live(0, 1), live(3, 4))


def test_a_branch_that_data_decides_may_run_in_each_iteration() -> None:
    body = f"""
    %zero = memref_pool.row %a[0] : {ROWS} to {ROW}
    %x = memref.load %zero[%c0] : {ROW}
    %some = arith.constant 3 : i8
    %is_some = arith.cmpi eq, %x, %some : i8
    scf.if %is_some {{ {use("v", "1")} }}"""
    assert rows_of(loop(body))["a"][:2] == (live(0, 7), live(1, 8))


def test_an_index_that_data_decides_accesses_all_rows() -> None:
    body = f"""
    %zero = memref_pool.row %a[0] : {ROWS} to {ROW}
    %x = memref.load %zero[%c0] : {ROW}
    %i = arith.index_cast %x : i8 to index
    {use("v", "%i")}"""
    assert set(rows_of(loop(body))["a"][1:]) == {live(1, 8)}


def test_an_index_outside_of_the_buffer_is_no_row() -> None:
    body = f"%before = arith.subi %t, %c2 : index\n{use('v', '%before')}"
    assert rows_of(loop(body, trips=6))["a"] == tuple(live(t, t + 1) for t in range(2, 6))


def test_scratch_of_an_iteration_lives_in_each_iteration() -> None:
    body = f"""
    {use("v")}
    %s = memref_pool.alloc : {ROW} loc("s")
    func.call @use(%s) : ({ROW}) -> ()
    func.call @use(%s) : ({ROW}) -> ()"""
    each = tuple(Interval(3 * t + 1, 3 * t + 3) for t in range(4))
    assert lifetimes_of(loop(body))["s"] == each


def test_a_buffer_that_no_index_cuts_lives_from_first_to_last_access() -> None:
    allocs = f'%sum = memref_pool.alloc : {ROW} loc("sum")'
    body = f"""
    %late = arith.cmpi sge, %t, %c2 : index
    {use("v")}
    scf.if %late {{ func.call @use(%sum) : ({ROW}) -> () }}"""
    text = loop(body, allocs)
    assert lifetimes_of(text)["sum"] == live(3, 6)
    assert "sum" not in rows_of(text)


def test_the_result_of_a_sum_over_rows_lives_from_the_last_row_on() -> None:
    sums, result = f"memref<8xi8, {SPACE}>", f"memref<8xi8, {SPACE}>"
    allocs = f"""
    %sums = memref_pool.alloc : {sums} loc("sums")
    %out = memref_pool.alloc : {result} loc("out")"""
    body = f"""
    {use("v")}
    accel.reduce [8 | 4] at [0 | %t] sizes [8 | 1] ins(%a : {ROWS}) outs(%out : {result})
      accumulators(%sums : {sums})
      maps [affine_map<(x, y) -> (y, x)>, affine_map<(x) -> (x)>]
      init {{
        %zero = arith.constant 0 : i8
        accel.yield %zero : i8
      }} body {{
      ^bb0(%sum: i8, %x: i8):
        %next = arith.addi %sum, %x : i8
        accel.yield %next : i8
      }} finish {{
      ^bb0(%sum: i8, %count: i32):
        accel.yield %sum : i8
      }}"""
    found = lifetimes_of(loop(body, allocs, behind=f"func.call @use(%out) : ({result}) -> ()"))
    assert found["sums"] == live(1, 8)
    assert found["out"] == live(7, 9)


def test_a_contiguous_buffer_has_rows_where_a_view_shows_one() -> None:
    allocs = f'%b = memref_pool.alloc : {PLAIN} loc("b")'
    body = f"""
    %v = memref.subview %b[%t, 0] [1, 8] [1, 1] : {PLAIN} to {PART}
    func.call @use_part(%v) : ({PART}) -> ()"""
    text = loop(body, allocs, behind=f"memref.copy %b, %b : {PLAIN} to {PLAIN}")
    assert rows_of(text)["b"] == tuple(live(t, 5) for t in range(4))


def test_rows_of_a_loop_around_live_over_all_of_it() -> None:
    inner = loop(use("v")).split("scf.for")[1].split("return")[0]
    text = loop(use("v")).replace(
        f"scf.for{inner}", f"scf.for %n = %c0 to %c2 step %c1 {{ scf.for{inner} }}"
    )
    assert set(rows_of(text)["a"]) == {live(0, 4)}


@pytest.mark.parametrize(
    "body",
    [
        "scf.for %i = %c0 to %c2 step %c1 {" + use("v") + "}",
        f"{use('v')}\n%m = arith.select %flag, %a, %a : {ROWS}\n"
        f"func.call @all(%m) : ({ROWS}) -> ()",
    ],
    ids=["a nested loop", "a choice of memory"],
)
def test_a_loop_with_an_unknown_op_is_walked_as_any_other(body: str) -> None:
    text = loop(body, "%flag = arith.constant 1 : i1").replace(
        "func.func @main", f"func.func private @all({ROWS})\nfunc.func @main"
    )
    assert len(set(rows_of(text)["a"])) == 1


def test_a_loop_without_rows_is_walked_as_any_other() -> None:
    text = loop(use("v", buffer="b"), f'%b = memref_pool.alloc : {PLAIN} loc("b")')
    text = text.replace("memref_pool.row %b[%t]", "memref.subview %b[%t, 0] [1, 8] [1, 1]")
    text = text.replace(f"{ROWS} to {ROW}", f"{PLAIN} to {PART}").replace(
        f"@use(%v) : ({ROW})", f"@use_part(%v) : ({PART})"
    )
    assert "b" in rows_of(text)
    assert "b" not in rows_of(text.replace("{memref_pool.by_rows}", ""))


def test_constants_and_memory_of_the_caller_have_no_rows() -> None:
    found = rows_of(chain().text())
    assert set(found) == {"input", "t0", "t1", "t2"}
