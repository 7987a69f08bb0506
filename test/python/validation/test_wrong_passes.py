"""Passes that miscompile, in a whole compilation: `compile(verify_each=True)` names the pass."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from pathlib import Path

import pytest
from common.sweep import sweep
from fuzz.programs.machine import machine
from mlir import ir

import forebay
from forebay.passes import Pass, pass_class
from forebay.validation import ValidationError

TENSORS = (
    machine(4096, None)
    + """
tosa.variable @kept = dense<3> : tensor<4x16xi8>
tosa.variable @other = dense<5> : tensor<4x16xi8>

func.func @main(%x: tensor<4x16xi8> {accel.name = "x"})
    -> (tensor<4x16xi8> {accel.name = "y"}, tensor<4x16xi8> {accel.name = "z"}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %kept = tosa.variable_read @kept : tensor<4x16xi8>
  %other = tosa.variable_read @other : tensor<4x16xi8>
  %near = tensor.empty() {memref_pool.candidates = #memref_pool.space<@l1>} : tensor<4x16xi8>
  %a = linalg.copy ins(%x : tensor<4x16xi8>) outs(%near : tensor<4x16xi8>) -> tensor<4x16xi8>
  %next = tensor.empty() {memref_pool.candidates = #memref_pool.space<@l2>} : tensor<4x16xi8>
  %d = accel.call @npu.double ins(%a : tensor<4x16xi8>) outs(%next : tensor<4x16xi8>)
    config {count = 64 : i64} -> tensor<4x16xi8>
  %far = tensor.empty() {memref_pool.candidates = #memref_pool.space<@dram>} : tensor<4x16xi8>
  %y = linalg.copy ins(%d : tensor<4x16xi8>) outs(%far : tensor<4x16xi8>) -> tensor<4x16xi8>
  %r = scf.for %i = %c0 to %c3 step %c1 iter_args(%it = %y) -> tensor<4x16xi8> {
    %e = tensor.empty() : tensor<4x16xi8>
    %s = linalg.add ins(%it, %kept : tensor<4x16xi8>, tensor<4x16xi8>)
      outs(%e : tensor<4x16xi8>) -> tensor<4x16xi8>
    scf.yield %s : tensor<4x16xi8>
  }
  tosa.variable_write @kept, %other : tensor<4x16xi8>
  tosa.variable_write @other, %kept : tensor<4x16xi8>
  return %y, %r : tensor<4x16xi8>, tensor<4x16xi8>
}
"""
)

COPIES = ("memref_pool.copy", "memref.copy", "accel.move", "linalg.copy", "accel.start")


def copies_in(module: ir.Operation) -> list[ir.Operation]:
    found: list[ir.Operation] = []

    def visit(op: ir.Operation) -> ir.WalkResult:
        if op.name in COPIES:
            found.append(op)
        return ir.WalkResult.ADVANCE

    module.walk(visit, ir.WalkOrder.PRE_ORDER)
    return found


def lose(op: ir.Operation) -> None:
    """Leave the target as it was."""
    for result in op.results:
        result.replace_all_uses_with(op.operands[len(op.operands) - 1])
    op.erase()


def miscompile(monkeypatch: pytest.MonkeyPatch, name: str, wrong: Callable[[ir.Operation], None]):
    """Let a pass do something more, and wrong, behind what it does."""
    right = pass_class(name).run

    def run(self: Pass, op: ir.Operation) -> None:
        right(self, op)
        wrong(op)

    monkeypatch.setattr(pass_class(name), "run", run)


def refused(tmp_path: Path) -> ValidationError:
    path = tmp_path / "tensors.mlir"
    path.write_text(TENSORS)
    with pytest.raises(ValidationError) as caught:
        forebay.compile(path, verify_each=True)
    return caught.value


PASSES = (
    "accel-raise-copies",
    "memref-pool-carry-state",
    "memref-pool-settle-loops",
    "memref-pool-assign",
    "memref-pool-adopt",
    "memref-pool-forward-results",
    "memref-pool-hoist-stores",
    "accel-lower-copies",
    "accel-hoist-transfers",
    "accel-pipeline-loops",
    "accel-overlap-calls",
)


def test_the_program_is_right(tmp_path: Path) -> None:
    path = tmp_path / "tensors.mlir"
    path.write_text(TENSORS)
    forebay.compile(path, verify_each=True)


@pytest.mark.parametrize("number", sweep([0, -1]))
@pytest.mark.parametrize("name", PASSES)
def test_a_pass_that_loses_a_copy(
    name: str, number: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    miscompile(monkeypatch, name, lambda op: lose(copies_in(op)[number]))
    assert refused(tmp_path).name == name


def test_a_store_of_state_in_front_of_the_read_of_its_old_value(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    module = importlib.import_module("forebay.passes.buffers.memref_pool_hoist_stores")
    monkeypatch.setattr(module, "_may_pass", lambda moving, op, *_: not _gives(op, moving))
    assert refused(tmp_path).name == "memref-pool-hoist-stores"


def _gives(op: ir.OpView, moving: list[ir.OpView]) -> bool:
    used = [operand for moved in moving for operand in moved.operands]
    return any(result in used for result in op.results)


def test_variables_that_change_places_without_a_temporary(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    module = importlib.import_module("forebay.passes.tensors.memref_pool_carry_state")
    monkeypatch.setattr(module, "_settled", lambda value, *_: value)
    assert refused(tmp_path).name in ("memref-pool-carry-state", "one-shot-bufferize")


def test_a_plan_with_two_buffers_at_one_place(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Before the plan's own verifier looks at it."""

    def wrong(module: ir.Operation) -> None:
        allocs: list[ir.Operation] = []

        def visit(op: ir.Operation) -> ir.WalkResult:
            if op.name == "memref_pool.alloc":
                allocs.append(op)
            return ir.WalkResult.ADVANCE

        module.walk(visit, ir.WalkOrder.PRE_ORDER)
        inside = [op for op in allocs if "@dram" in str(op.attributes["placement"])]
        for op in inside:
            op.attributes["placement"] = inside[0].attributes["placement"]

    miscompile(monkeypatch, "memref-pool-plan", wrong)
    assert refused(tmp_path).name == "memref-pool-plan"
