"""Mistakes in the lowering of a user's operator are errors at the user's line."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from common.model_file import Op, T, single
from mlir import ir
from mlir.dialects import tosa

from forebay.errors import Error
from forebay.frontends.tflite import import_model
from forebay.frontends.tflite.lowering.node import Node
from forebay.frontends.tflite.lowering.registry import OperatorLowering

FILE = single(Op("Mine", [0], [1]), [T((4,), "float32"), T((4,), "int32")])


def refused(lower: Callable[[Node], Any], match: str) -> None:
    with ir.Context(), pytest.raises(Error, match=match):
        import_model(FILE, operators=[OperatorLowering("Mine", lower)])


def test_an_exception_names_its_line() -> None:
    def lower(node: Node) -> object:
        return node.nothing  # pyright: ignore[reportAttributeAccessIssue]

    line = lower.__code__.co_firstlineno + 1
    refused(lower, rf"test_checked.py:{line}: AttributeError.*operator 0 \(Mine\)")


def test_a_result_of_another_type_is_refused() -> None:
    refused(lambda node: [node.value(0)], "returns a tensor of f32; the .* are a tensor of i32")


def test_another_number_of_results_is_refused() -> None:
    refused(lambda _: [], "returns nothing; the results in the file are a tensor of i32")


def test_a_wrong_op_is_refused() -> None:
    def lower(node: Node) -> object:
        wrong = ir.RankedTensorType.get([5], ir.IntegerType.get_signless(32))
        return [tosa.CastOp(wrong, node.value(0)).result]

    refused(lower, r"'t1' has the shape \[5\], but the file says \[4\]")


def test_a_refusal_of_the_lowering_is_reported_as_it_is() -> None:
    def lower(node: Node) -> object:
        node.refuse("a vector", "use a matrix")

    refused(lower, r"operator 0 \(Mine\): not supported: a vector; use a matrix")
