"""Claims about single steps of ops, judged by the values of whole programs."""

from __future__ import annotations

import numpy as np
import pytest
from common import networks

import forebay

DIGITS = "examples/digits/digits_int8.tflite"


@pytest.fixture(scope="module")
def digits(request):
    return request.config.rootpath / DIGITS


@pytest.mark.parametrize("io", ["caller", "pool"])
def test_a_network_by_rows_has_the_bits_of_the_network(digits, io):
    whole = networks.compiled(digits, io=io)
    rows = networks.compiled(digits, io=io, budget="min")
    assert rows.plan.peak("workspace") < whole.plan.peak("workspace")
    random = np.random.default_rng(0)
    (port,) = whole.inputs
    for _ in range(2):
        x = random.integers(-128, 128, port.shape).astype(port.dtype)
        assert np.array_equal(whole.run(x), rows.run(x))


def test_a_budget_is_a_promise(digits):
    smallest = networks.compiled(digits, io="caller", budget="min").plan.peak("workspace")
    whole = networks.compiled(digits, io="caller").plan.peak("workspace")
    for budget in np.linspace(smallest, whole, 5).astype(int).tolist():
        found = forebay.compile(digits, budget={"workspace": budget})
        assert found.plan.peak("workspace") <= budget
    with pytest.raises(forebay.Error, match=f"smallest budget that works is {smallest:,}"):
        forebay.compile(digits, budget=smallest - 1)
