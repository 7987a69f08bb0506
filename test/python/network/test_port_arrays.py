from typing import Any

import numpy as np
import pytest

from forebay.network.errors import CodegenError
from forebay.network.model import GoldenStep, ModelInfo, Port
from forebay.network.port_arrays import (
    check_golden,
    checked_inputs,
    inputs_in_order,
    is_of_caller,
    mismatch,
)

A, B, Y = Port("a", "int8", (2,)), Port("b", "float32", ()), Port("y", "int8", (2,), pool="ws")
MODEL = ModelInfo("net", (A, B), (Y,), (), "00" * 32)
ONE, TWO = np.array([1, 2], np.int8), np.float32(3)


@pytest.mark.parametrize(
    ("given", "named"),
    [((ONE, TWO), {}), (({"b": TWO, "a": ONE},), {}), ((), {"b": TWO, "a": ONE})],
)
def test_inputs_are_given_in_order_or_by_name(given: tuple[Any, ...], named: dict) -> None:
    first, second = inputs_in_order(MODEL, given, named)
    np.testing.assert_array_equal(first, ONE)
    assert second == TWO


@pytest.mark.parametrize(
    ("given", "named"),
    [((ONE,), {"b": TWO}), (({"a": ONE}, TWO), {}), (({"a": ONE},), {"b": TWO})],
)
def test_a_mixture_is_refused(given: tuple[Any, ...], named: dict) -> None:
    with pytest.raises(CodegenError, match="not both"):
        inputs_in_order(MODEL, given, named)


@pytest.mark.parametrize("named", [{"a": ONE}, {"a": ONE, "b": TWO, "c": ONE}])
def test_names_must_be_those_of_the_inputs(named: dict) -> None:
    with pytest.raises(CodegenError, match="takes the inputs a, b; given are: a"):
        inputs_in_order(MODEL, (), named)


def test_checked_inputs_are_contiguous_and_in_the_order_of_this_machine() -> None:
    first, scalar = checked_inputs(MODEL, [np.array([2, 0, 1], np.int8)[::2], np.asarray(TWO)])
    assert (first.flags.c_contiguous, first.tolist()) == (True, [2, 1])
    assert scalar.shape == ()
    wide = ModelInfo("net", (Port("w", "int16", (2,)),), (), (), "00" * 32)
    (swapped,) = checked_inputs(wide, [np.array([1, 2], ">i2")])
    assert (swapped.dtype, swapped.tolist()) == (np.dtype("=i2"), [1, 2])


@pytest.mark.parametrize(
    ("inputs", "message"),
    [
        ([ONE], r"has 2 inputs \(a, b\), 1 were given"),
        ([ONE, np.zeros(1, np.float32)], r"input 'b' is float32\[\], float32\[1\] was given"),
        ([ONE.astype(np.uint8), TWO], r"input 'a' is int8\[2\], uint8\[2\] was given"),
    ],
)
def test_wrong_inputs_are_refused(inputs: list, message: str) -> None:
    with pytest.raises(CodegenError, match=message):
        checked_inputs(MODEL, [np.asarray(value) for value in inputs])


def test_goldens_must_fit_the_ports() -> None:
    right = GoldenStep((ONE, np.asarray(TWO)), (ONE,))
    check_golden(MODEL, [right, right])
    with pytest.raises(CodegenError, match="golden 1 has 0 outputs, 'net' has 1"):
        check_golden(MODEL, [right, GoldenStep(right.inputs, ())])
    with pytest.raises(CodegenError, match="golden 0: output 'y'"):
        check_golden(MODEL, [GoldenStep(right.inputs, (ONE[:1],))])


def test_arrays_of_ports_in_pools_are_no_arguments() -> None:
    arrays = [ONE, np.asarray(TWO), ONE]
    assert [array is arrays[number] for number, array in enumerate(is_of_caller(MODEL, arrays))]
    assert len(is_of_caller(MODEL, arrays)) == 2
    assert mismatch(Y, ONE, "output") is None
