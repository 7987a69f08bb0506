"""Which ops have a C form, and the reasons why others have none."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest
from mlir import ir

import forebay.passes  # noqa: F401  (dialects)
from forebay.codegen.c import Refusals, is_printable
from forebay.codegen.c.registry import require_printer, statement_of
from forebay.network.errors import EmissionError

FirstOp = Callable[[str, str], ir.OpView]


@pytest.fixture
def first_op() -> Iterator[FirstOp]:
    """Return a function that returns the first op of a body."""
    kept: list[ir.Module] = []  # an op does not keep its module alive

    def of(body: str, arguments: str) -> ir.OpView:
        kept.append(ir.Module.parse(f"func.func @f({arguments}) {{ {body} return }}"))
        return kept[-1].body.operations[0].regions[0].blocks[0].operations[0]

    with ir.Context() as context, ir.Location.unknown():
        context.allow_unregistered_dialects = True
        yield of


@pytest.mark.parametrize(
    ("body", "arguments", "reason"),
    [
        ("%r = arith.addi %x, %x : i32", "%x: i32", None),
        ("%r = arith.addi %x, %x : i24", "%x: i24", "type i24 has no C form"),
        ("%r = arith.addf %x, %x : f16", "%x: f16", "type f16 has no C form"),
        ('"my.op"(%x) : (i32) -> ()', "%x: i32", "'my.op' has no C form"),
        ("%r = tensor.empty() : tensor<4xi8>", "", "'tensor.empty' has no C form"),
        (
            "%r = memref.load %m[%i] : memref<4xi8, strided<[?], offset: 0>>",
            "%m: memref<4xi8, strided<[?], offset: 0>>, %i: index",
            "a stride that is known at run time only",
        ),
        (
            "%r = memref.load %m[%i] : memref<4xindex>",
            "%m: memref<4xindex>, %i: index",
            "has no size that C and MLIR agree on",
        ),
    ],
)
def test_an_op_without_c_is_refused_with_the_reason(
    first_op: FirstOp, body: str, arguments: str, reason: str | None
) -> None:
    found = is_printable(first_op(body, arguments), Refusals())
    assert found is None if reason is None else reason in str(found)


def test_the_printer_refuses_at_the_location_of_the_op(first_op: FirstOp) -> None:
    op = first_op('"my.op"() : () -> ()', "")
    with pytest.raises(EmissionError, match="a pass must lower it first"):
        require_printer(op)


def test_a_view_without_a_printer_of_its_own_has_that_of_all_views(first_op: FirstOp) -> None:
    view = first_op(
        "%v = memref.subview %m[1] [2] [1] : memref<4xi8> to memref<2xi8, strided<[1], offset: 1>>",
        "%m: memref<4xi8>",
    )
    assert statement_of(view) is not None
    assert statement_of(first_op("%r = arith.addi %x, %x : i32", "%x: i32")) is None


def test_refusals_answer_for_each_type() -> None:
    with ir.Context():
        refusals = Refusals()
        assert refusals[ir.IntegerType.get_signless(32)] is None
        assert "i7" in str(refusals[ir.IntegerType.get_signless(7)])
        assert refusals[ir.IntegerType.get_signless(32)] is None
        assert len(refusals) == 2
