"""The problem that a module poses, the plan that it carries, and its ports."""

from __future__ import annotations

import pytest
from mlir import ir

import forebay.passes  # noqa: F401  (registers)
from forebay.ir.problem.ports import ports_of
from forebay.ir.problem.problem import plan_of, problem_of
from forebay.ir.problem.unique_names import unique_names
from forebay.ir.refused import RefusedError
from forebay.pipelines import run_pipeline
from forebay.planning import Kind, Placement, Problem, live

MODULE = """
#ws = #memref_pool.space<@ws>
#flash = #memref_pool.space<@flash>
#conv = loc("conv"("CONV_2D"("net.tflite":3:0)))
memref_pool.pool @ws workspace capacity 4096 align 8 reserved [16, 32]
memref_pool.pool @flash constant align 1
memref.global "private" constant @weights : memref<10xi8, #flash> = dense<1>
memref.global "private" constant @bias : memref<2xi32, #flash> = dense<1>
func.func @main(%in: memref<4xi16, #ws> {accel.name = "in"},
                %out: memref<4xi16, #ws> {accel.name = "conv", bufferize.result},
                %mine: memref<4xi16> {accel.name = "mine"}) {
  %t = memref_pool.alloc align 64 : memref<3x4xi16, #ws> loc(#conv)
  %u = memref_pool.alloc pinned <@ws, 64> : memref<4xi16, #ws> loc(#conv)
  %v = memref_pool.alloc : memref<4xi16, #ws>
  %w = memref.get_global @weights : memref<10xi8, #flash>
  memref.copy %in, %u : memref<4xi16, #ws> to memref<4xi16, #ws> loc(#conv)
  memref.copy %u, %out : memref<4xi16, #ws> to memref<4xi16, #ws>
  return
}
"""


def problem_in(text: str) -> Problem:
    with ir.Context(), ir.Location.unknown():
        return problem_of(ir.Module.parse(text).operation.opview)


def test_buffers_are_named_by_the_model_and_numbered_where_that_is_taken() -> None:
    problem = problem_in(MODULE)
    kinds = {buffer.name: buffer.kind for buffer in problem.buffers}
    assert kinds == {
        "in": Kind.INPUT,
        "conv": Kind.OUTPUT,
        "conv_2": Kind.WORKSPACE,
        "conv_3": Kind.WORKSPACE,
        "buffer": Kind.WORKSPACE,
        "weights": Kind.CONSTANT,
        "bias": Kind.CONSTANT,
    }


def test_a_used_number_is_no_new_name() -> None:
    names = ["a", "a_2", "a", "a"]
    assert unique_names(names) == ["a", "a_2", "a_3", "a_4"]


def test_sizes_alignments_and_pins_are_those_of_the_ir() -> None:
    buffers = problem_in(MODULE).buffer_by_name
    assert {name: buffer.size for name, buffer in buffers.items()} == {
        "in": 8,
        "conv": 8,
        "conv_2": 24,
        "conv_3": 8,
        "buffer": 8,
        "weights": 10,
        "bias": 8,
    }
    # An i32 needs 4 in a pool aligned to 1; an i16 has 8 from its pool.
    assert buffers["bias"].alignment == 4
    assert buffers["in"].alignment is None
    assert buffers["conv_2"].alignment == 64
    assert (buffers["conv_3"].pinned_pool, buffers["conv_3"].pinned_offset) == ("ws", 64)
    assert buffers["conv_3"].pinned_by == ("3 CONV_2D conv",)


def test_steps_are_operators_where_the_model_has_them() -> None:
    problem = problem_in(MODULE)
    assert problem.steps == ("3 CONV_2D conv", "")
    assert problem.buffer_by_name["conv_3"].lifetime == live(0, 2)


def test_pools_are_those_of_the_ir() -> None:
    ws, flash = problem_in(MODULE).pools
    assert (ws.name, ws.capacity, ws.alignment, ws.reserved) == ("ws", 4096, 8, ((16, 32),))
    assert (flash.name, flash.capacity, flash.alignment) == ("flash", None, 1)


def test_the_plan_is_read_back_from_the_ir() -> None:
    with ir.Context(), ir.Location.unknown():
        module = ir.Module.parse(MODULE)
        with pytest.raises(RefusedError, match="buffer 'in' has no place yet"):
            plan_of(module.operation.opview)
        run_pipeline(module, "builtin.module(memref-pool-plan{planner=first-fit})")
        plan = plan_of(module.operation.opview)
    assert plan.planner == "first-fit"
    assert plan.placements["conv_3"] == Placement("ws", 64)
    assert plan.peak("flash") == 20  # 10 bytes of weights, the next multiple of 4, 8 of bias


def test_ports_say_which_memory_is_the_callers() -> None:
    with ir.Context(), ir.Location.unknown():
        module = ir.Module.parse(MODULE)
        run_pipeline(module, "builtin.module(memref-pool-plan{planner=first-fit})")
        ports = ports_of(module.operation.opview)
    assert [(port.name, port.is_result, port.placement) for port in ports] == [
        ("in", False, Placement("ws", 0)),
        ("conv", True, Placement("ws", 0)),
        ("mine", False, None),
    ]
