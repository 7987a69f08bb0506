"""Functions are equal where nothing but names, locations and free constants differs."""

from itertools import combinations

import pytest
from mlir import ir
from mlir.dialects import arith, func

from forebay.dialects import register
from forebay.ir.structure import FunctionStructure, structure_of

TEXT = """
#id = affine_map<(d0) -> (d0)>
#reversed = affine_map<(d0) -> (3 - d0)>
func.func private @a(%x: memref<4xi8>, %y: memref<4xi8>) {{
  %c = arith.constant {constant} : i8
  {free} = arith.constant {value} : i32
  linalg.generic {{indexing_maps = [{map}, #id], iterator_types = ["{kind}"]}}
      ins({operand} : memref<4xi8>) outs(%y : memref<4xi8>) {{
  ^bb0(%i: i8, %o: i8):
    %m = arith.{op} %i, {other} : i8
    linalg.yield %m : i8
  }}
  return
}}
"""
PLAIN = {
    "constant": "5",
    "free": "%f",
    "value": "1",
    "map": "#id",
    "kind": "parallel",
    "operand": "%x",
    "op": "maxsi",
    "other": "%c",
}
CHANGES = [
    {"constant": "6"},
    {"map": "#reversed"},
    {"operand": "%y"},
    {"op": "minsi"},
    {"other": "%o"},
    {"kind": "reduction"},
]


@pytest.fixture
def context() -> ir.Context:
    context = ir.Context()
    register(context)
    return context


def structure(context: ir.Context, **changes: str) -> FunctionStructure:
    with context, ir.Location.unknown():
        text = TEXT.format(**{**PLAIN, **changes})
        # the structure refers to the ops of the module, which the caller must keep
        module = ir.Module.parse(text)
        MODULES.append(module)
        (function,) = module.body.operations
        assert isinstance(function, func.FuncOp)
        return structure_of(function, lambda it: it.result.type == ir.IntegerType.get_signless(32))


MODULES: list[ir.Module] = []


def test_names_and_free_constants_do_not_count(context: ir.Context) -> None:
    one, two = structure(context), structure(context, free="%other", value="7")
    assert one.key == two.key
    assert [_value(it) for found in (one, two) for it in found.constants] == [1, 7]


def _value(op: arith.ConstantOp) -> int:
    return ir.IntegerAttr(op.value).value


def test_all_else_counts(context: ir.Context) -> None:
    keys = [structure(context, **changes).key for changes in [{}, *CHANGES]]
    assert all(a != b for a, b in combinations(keys, 2))
