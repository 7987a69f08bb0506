"""Rows in the planning problem: each is a buffer, with a place of its own in the IR."""

from __future__ import annotations

import pytest
from common.programs.cascades import PROGRAMS, Cascade, chain
from mlir import ir

from forebay.ir.module import module_of
from forebay.ir.problem.problem import extract_problem, plan_of, planned_placement, problem_of
from forebay.pipelines import run_pipeline
from forebay.planning import Placement, certify, live, verify

PLAN = "builtin.module(memref-pool-plan)"


def test_each_row_is_a_buffer_of_the_problem() -> None:
    with ir.Context(), ir.Location.unknown():
        problem = problem_of(ir.Module.parse(chain().text()).operation.opview)
        rows = {name: buffer for name, buffer in problem.buffer_by_name.items() if "t1[" in name}
        assert list(rows) == ["t1[0]", "t1[1]", "t1[2]", "t1[3]"]
        assert {(buffer.size, buffer.alignment) for buffer in rows.values()} == {(4, 1)}
        assert rows["t1[0]"].lifetime == live(2, 11)


def test_the_rows_of_a_contiguous_buffer_are_a_block() -> None:
    with ir.Context(), ir.Location.unknown():
        problem = problem_of(ir.Module.parse(chain().text()).operation.opview)
        rows = [buffer for buffer in problem.buffers if buffer.block == "input"]
        assert [(b.name, b.block_offset, b.size) for b in rows][-2:] == [
            ("input[5]", 20, 4),
            ("input[6:8]", 24, 8),
        ]
        assert [buffer.alignment for buffer in rows] == [None, 1, 1, 1, 1, 1, 1]
        assert rows[0].lifetime == live(0, 2)


def test_a_contiguous_buffer_grows_into_the_dead_rows_of_the_input() -> None:
    program = Cascade(16, 8)
    program.copy(program.window(program.input))
    with ir.Context(), ir.Location.unknown():
        module = ir.Module.parse(program.text())
        run_pipeline(module, PLAN)
        places = plan_of(module_of(module)).placements
        assert places["t1[0]"].offset - places["input[0]"].offset in range(-32, 32)
        (certificate,) = certify(plan_of(module_of(module)))
        assert certificate.peak < 2 * 128


@pytest.mark.parametrize("name", PROGRAMS)
def test_the_plan_of_rows_is_right_and_near_its_bound(name: str) -> None:
    with ir.Context(), ir.Location.unknown():
        module = ir.Module.parse(PROGRAMS[name]().text())
        run_pipeline(module, PLAN)
        plan = plan_of(module_of(module))
        verify(plan)
        (certificate,) = certify(plan)
        assert certificate.peak - certificate.lower_bound < 16  # the alignment of whole buffers


def test_rows_are_placed_by_their_alloc() -> None:
    with ir.Context(), ir.Location.unknown():
        module = ir.Module.parse(chain().text())
        run_pipeline(module, PLAN)
        root = module_of(module)
        places, extraction = plan_of(root).placements, extract_problem(root)
        numbers = extraction.by_root()
        for number, buffer in enumerate(extraction.liveness.buffers):
            if buffer.name == "input":
                continue
            if buffer.op is not None and buffer.op.row_placement is not None:
                offsets = [
                    places[f"{buffer.name}[{n}]"].offset for n in range(len(numbers[number]))
                ]
                assert list(buffer.op.row_placement.offsets) == offsets
                assert planned_placement(buffer) == Placement("sram", min(offsets))


def test_pinned_rows_are_where_they_are_pinned() -> None:
    text = (
        chain()
        .text()
        .replace(
            "%t1 = memref_pool.alloc :",
            "%t1 = memref_pool.alloc pinned_rows <@sram, [96, 92, 88, 84]> :",
        )
    )
    with ir.Context(), ir.Location.unknown():
        module = ir.Module.parse(text)
        run_pipeline(module, PLAN)
        places = plan_of(module_of(module)).placements
        assert [places[f"t1[{n}]"].offset for n in range(4)] == [96, 92, 88, 84]


def test_the_rows_of_a_tensor_are_in_one_pool() -> None:
    """Neither pool has room for all rows of `t0`, but the smaller one for some of them."""
    small = "memref_pool.pool @sram workspace capacity 8 align 4\nmemref_pool.pool @big workspace"
    program = Cascade(8, 4)
    program.window(program.window(program.input))
    text = program.text(pool=small).replace("<@sram>", "<[@sram, @big]>")
    with ir.Context(), ir.Location.unknown():
        module = ir.Module.parse(text)
        run_pipeline(module, PLAN)
        places = plan_of(module_of(module)).placements
        pools = {
            name: {p.pool for n, p in places.items() if n.startswith(name)} for name in ("t0", "t1")
        }
        assert all(len(found) == 1 for found in pools.values())


def test_conflicts_of_a_port_are_those_of_all_rows() -> None:
    text = (
        chain().text()
        + """
!x = memref<8xi8, #memref_pool.space<@sram>>
func.func @reset(%x: !x {accel.name = "x"}) {
  memref.copy %x, %x : !x to !x
  return
}"""
    )
    with ir.Context(), ir.Location.unknown():
        problem = problem_of(ir.Module.parse(text).operation.opview)
        with_x = {one for one, other in problem.conflicts if other == "x"} | {
            other for one, other in problem.conflicts if one == "x"
        }
        assert {"t0[0]", "t0[7]", "t2[3]"} <= with_x


def test_a_shortage_names_the_rows_of_a_tensor_in_one_note() -> None:
    text = chain().text(pool="memref_pool.pool @sram workspace capacity 32 align 16")
    with ir.Context(), ir.Location.unknown():
        module = ir.Module.parse(text)
        with pytest.raises(Exception, match="pool 'sram'") as caught:
            run_pipeline(module, PLAN)
        notes = str(caught.value)
        assert "'input[0]' to 'input[6:8]', 32 bytes in 7 rows, live here" in notes
        assert "'t0[0]' to 't0[1]', 8 bytes in 2 rows, live here" in notes
