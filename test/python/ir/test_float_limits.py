"""Which constants an extremum equals or leaves alone: not each zero, and not what is no number."""

from __future__ import annotations

import pytest
from mlir import ir
from mlir.dialects import arith

from forebay.ir.float_limits import is_limit
from forebay.ir.nested import ops_of

TEXT = """
func.func @main(%x: {type}, %y: {type}) {{
  %limit = arith.constant {limit} : {type}
  %r = arith.{op} %x, {second} : {type}
  return
}}"""


@pytest.mark.parametrize("type_", ["f32", "vector<8xf32>"])
@pytest.mark.parametrize(
    ("op", "limit", "second", "expected"),
    [
        ("maximumf", "0.0", "%limit", True),
        ("maximumf", "-0.0", "%limit", False),
        ("minimumf", "0.0", "%limit", False),
        ("minimumf", "-0.0", "%limit", True),
        ("minimumf", "6.0", "%limit", True),
        ("maximumf", "-1.0", "%limit", True),
        ("minimumf", "0x7F800000", "%limit", True),
        ("minimumf", "0x7FC00000", "%limit", False),
        ("minimumf", "6.0", "%y", False),
    ],
)
def test_constants_that_are_limits(
    type_: str, op: str, limit: str, second: str, *, expected: bool
) -> None:
    constant = f"dense<{limit}>" if type_ != "f32" else limit
    text = TEXT.format(type=type_, limit=constant, op=op, second=second)
    with ir.Context(), ir.Location.unknown():
        module = ir.Module.parse(text)
        (found,) = ops_of(module.operation, arith.MaximumFOp, arith.MinimumFOp)
        assert is_limit(found) == expected
