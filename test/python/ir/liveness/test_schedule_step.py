"""A program point keeps the buffers of its operands in its own context."""

from __future__ import annotations

from mlir import ir

from forebay.ir.liveness.liveness import Liveness, liveness_of

HEAD = """
#ws = #memref_pool.space<@ws>
!b = memref<8xi8, #ws>
memref_pool.pool @ws workspace
func.func private @use(!b)
"""


def of(text: str) -> Liveness:
    return liveness_of(ir.Module.parse(HEAD + text).operation.opview)


def test_one_op_in_two_contexts_has_two_steps() -> None:
    with ir.Context(), ir.Location.unknown():
        found = of("""
func.func private @twice(%x: !b) {
  func.call @use(%x) : (!b) -> ()
  return
}
func.func @main() {
  %a = memref_pool.alloc : !b
  %b = memref_pool.alloc : !b
  func.call @twice(%a) : (!b) -> ()
  func.call @twice(%b) : (!b) -> ()
  return
}
func.func @reset() {
  return
}""")
        first, second = found.program
        assert first.op == second.op
        assert [operand.buffers for operand in first.operands] == [frozenset({0})]
        assert [operand.buffers for operand in second.operands] == [frozenset({1})]
        assert found.entries == {"main": (0, 2), "reset": (2, 2)}


def test_a_loop_is_walked_to_its_fixed_point() -> None:
    with ir.Context(), ir.Location.unknown():
        found = of("""
func.func @main() {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %a = memref_pool.alloc : !b
  %b = memref_pool.alloc : !b
  scf.for %i = %c0 to %c4 step %c1 iter_args(%x = %a, %y = %b) -> (!b, !b) {
    func.call @use(%x) : (!b) -> ()
    scf.yield %y, %x : !b, !b
  }
  return
}""")
        (step,) = found.program
        assert [operand.buffers for operand in step.operands] == [frozenset({0, 1})]
