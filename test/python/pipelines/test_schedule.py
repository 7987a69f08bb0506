"""Who reads and writes each buffer at each step, against what the program says."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

import pytest
from mlir import ir

import forebay
from forebay.ir.problem.problem import extract_problem
from forebay.network.model import ModelInfo
from forebay.network.schedule import StepInfo
from forebay.pipelines.schedule import alias_groups, scheduled_operators, steps_of
from forebay.planning import Kind

HEAD = """
#ws = #memref_pool.space<@ws>
!b = memref<8xi8, #ws>
!row = memref<8xi8, #ws>
!rows = memref<4x8xi8, #memref_pool.rows<1>, #ws>
memref_pool.pool @ws workspace
func.func private @fill(!b {bufferization.access = "write"})
func.func private @show(!b {bufferization.access = "read"})
"""


class Steps(NamedTuple):
    """The steps of a module that is not planned yet, and its buffers."""

    names: list[str]
    steps: tuple[StepInfo, ...]
    groups: dict[str, str]

    @property
    def accesses(self) -> list[tuple[list[str], list[str]]]:
        return [(self.named(step.reads), self.named(step.writes)) for step in self.steps]

    def named(self, numbers: tuple[int, ...]) -> list[str]:
        return [self.names[number] for number in numbers]


def steps_in(text: str) -> Steps:
    with ir.Context(), ir.Location.unknown():
        module = ir.Module.parse(HEAD + text).operation.opview
        extraction = extract_problem(module)
        names = [buffer.name for buffer in extraction.problem.buffers]
        steps = steps_of(module, extraction, scheduled_operators(extraction, None, "host"))
        groups = alias_groups(extraction)
        return Steps(names, steps, {names[n]: names[first] for n, first in groups.items()})


def test_declared_accesses_say_who_writes() -> None:
    found = steps_in("""
        func.func @main() {
          %a = memref_pool.alloc : !b loc("a")
          func.call @fill(%a) : (!b) -> ()
          func.call @show(%a) : (!b) -> ()
          return
        }""")
    assert found.accesses == [([], ["a"]), (["a"], [])]
    assert [step.op for step in found.steps] == ["func.call", "func.call"]
    assert [step.entry for step in found.steps] == ["main", "main"]
    assert [step.device for step in found.steps] == ["host", "host"]
    assert "12:11" in found.steps[0].location


def test_each_call_of_a_function_has_its_own_buffers() -> None:
    found = steps_in("""
        func.func private @both(%x: !b, %y: !b) {
          func.call @fill(%x) : (!b) -> ()
          func.call @show(%y) : (!b) -> ()
          return
        }
        func.func @main() {
          %a = memref_pool.alloc : !b loc("a")
          %b = memref_pool.alloc : !b loc("b")
          func.call @fill(%b) : (!b) -> ()
          func.call @both(%a, %b) : (!b, !b) -> ()
          func.call @both(%b, %a) : (!b, !b) -> ()
          return
        }""")
    assert found.accesses == [
        ([], ["b"]),
        ([], ["a"]),
        (["b"], []),
        ([], ["b"]),
        (["a"], []),
    ]


def test_values_of_several_buffers_are_a_group() -> None:
    found = steps_in("""
        func.func @main(%flag: memref<i1>) {
          %a = memref_pool.alloc : !b loc("a")
          %b = memref_pool.alloc : !b loc("b")
          %c = memref_pool.alloc : !b loc("c")
          func.call @fill(%a) : (!b) -> ()
          func.call @fill(%b) : (!b) -> ()
          func.call @fill(%c) : (!b) -> ()
          %which = memref.load %flag[] : memref<i1>
          %one = arith.select %which, %b, %c : !b
          func.call @show(%one) : (!b) -> ()
          func.call @show(%a) : (!b) -> ()
          return
        }""")
    assert found.groups == {"b": "b", "c": "b"}
    assert (["b", "c"], []) in found.accesses


def test_rows_are_read_in_their_iteration() -> None:
    found = steps_in("""
        func.func @main() {
          %c0 = arith.constant 0 : index
          %c1 = arith.constant 1 : index
          %c4 = arith.constant 4 : index
          %a = memref_pool.alloc : !rows loc("a")
          scf.for %t = %c0 to %c4 step %c1 {
            %r = memref_pool.row %a[%t] : !rows to !row
            func.call @fill(%r) : (!row) -> ()
            func.call @show(%r) : (!row) -> ()
          } {memref_pool.by_rows}
          return
        }""")
    one_by_one = [access for n in range(4) for access in (([], [f"a[{n}]"]), ([f"a[{n}]"], []))]
    assert found.accesses == one_by_one


def end_of(model: ModelInfo, tick: int) -> int:
    """The step behind a kernel and the loads in its body, which have steps of their own."""
    end = tick + 1
    while end < len(model.steps) and model.steps[end].op == "memref.load":
        end += 1
    return end


def used_at(model: ModelInfo, number: int) -> list[int]:
    def uses(step: StepInfo) -> bool:
        return number in (*step.reads, *step.writes, *step.waits_for)

    return [tick for tick, step in enumerate(model.steps) if uses(step)]


# with --optimize speed a kernel reads strips in a loop, and its result lives from its beginning
@pytest.mark.parametrize(
    "options", [{"optimize": "size"}, {"target": "fetch_conv"}, {"budget": "min"}]
)
def test_lifetimes_are_from_first_to_last_access(digits: Path, options: dict[str, str]) -> None:
    model = forebay.compile(digits, **options).info
    workspace = [n for n, buffer in enumerate(model.buffers) if buffer.kind is Kind.WORKSPACE]
    assert len(workspace) > 3
    for number in workspace:
        at, buffer = used_at(model, number), model.buffers[number]
        assert (min(at), end_of(model, max(at))) == (buffer.start, buffer.end), buffer.name


def test_steps_name_operator_device_and_ports(digits: Path) -> None:
    model = forebay.compile(digits, target="fetch_conv").info
    first, last = model.steps[0], model.steps[-1]
    assert any(step.inputs == (0,) for step in model.steps[:3])
    assert any(step.outputs == (0,) for step in model.steps[-3:])
    assert {step.device for step in model.steps} == {"cpu", "accel"}
    kinds = [operator.kind for operator in model.operators]
    assert kinds[first.operator or 0] == "CONV_2D"
    assert last.operator == len(model.operators) - 1
    calls = [step for step in model.steps if step.op == "accel.call @accel.conv2d"]
    assert {model.operators[s.operator].device for s in calls if s.operator is not None} == {
        "accel"
    }
    assert model.target == "fetch_conv"
