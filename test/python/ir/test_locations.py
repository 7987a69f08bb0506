"""The location contract: which operator of the model an op came from."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from mlir import ir

from forebay.ir.locations import OperatorLocation, describe_location, name_hint, operator_of

CONV = OperatorLocation(3, "CONV_2D", "conv1", "dir/net.tflite")


@pytest.fixture(autouse=True)
def context() -> Iterator[ir.Context]:
    with ir.Context() as made:
        yield made


def place(index: int) -> ir.Location:
    return ir.Location.file("dir/net.tflite", index, 0)


def operator(tensor: str, kind: str, index: int) -> ir.Location:
    return ir.Location.name(tensor, ir.Location.name(kind, place(index)))


def test_operator_is_read() -> None:
    location = operator("conv1", "CONV_2D", 3)
    assert operator_of(location) == CONV
    assert str(CONV) == "3 CONV_2D conv1"
    assert describe_location(location) == "net.tflite: CONV_2D #3 (conv1)"


def test_an_operator_without_a_name_of_its_result_has_kind_and_index() -> None:
    location = operator("", "ASSIGN_VARIABLE", 12)
    assert describe_location(location) == "net.tflite: ASSIGN_VARIABLE #12"


def test_first_operator_of_a_fused_location_counts() -> None:
    parts = [ir.Location.unknown(), operator("conv1", "CONV_2D", 3), operator("relu", "RELU", 4)]
    assert operator_of(ir.Location.fused(parts)) == CONV


def test_operator_is_found_behind_a_value_name_and_a_call() -> None:
    named = ir.Location.name("acc", operator("conv1", "CONV_2D", 3))
    assert operator_of(named) == CONV
    assert operator_of(ir.Location.callsite(named, [place(9)])) == CONV


def test_a_value_name_is_no_operator() -> None:
    assert name_hint(ir.Location.name("acc", operator("conv1", "CONV_2D", 3))) == "acc"
    assert name_hint(ir.Location.name("acc")) == "acc"
    assert name_hint(operator("conv1", "CONV_2D", 3)) is None
    assert name_hint(place(1)) is None


def test_other_locations_name_no_operator() -> None:
    assert operator_of(place(7)) is None
    assert operator_of(ir.Location.unknown()) is None
    assert describe_location(ir.Location.file("a.mlir", 7, 2)) == "a.mlir:7:2"
    assert describe_location(ir.Location.unknown()) == "unknown location"
