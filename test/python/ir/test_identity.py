"""The key of an operation while it changes."""

from mlir import ir

from forebay.ir.identity import identity_of

TEXT = """
func.func @f(%a: i32, %b: i32) -> i32 {
  %c = arith.addi %a, %a : i32
  %d = arith.addi %a, %a : i32
  return %c : i32
}"""


def test_a_rewritten_operation_keeps_its_identity() -> None:
    with ir.Context(), ir.Location.unknown():
        module = ir.Module.parse(TEXT)
        function = module.body.operations[0]
        block = function.regions[0].blocks[0]
        first, second, _ = block.operations
        before, structural = identity_of(first), hash(first)
        first.operation.operands[1] = block.arguments[1]
        assert hash(first) != structural  # why tables must not use it
        assert identity_of(first) == before == identity_of(block.operations[0].operation)
        assert identity_of(second) != before
