"""Single layers on the machine give what the host gives; and what it does not take, it says why."""

from __future__ import annotations

import numpy as np
import pytest
from common.conv_layer import Layer
from common.host_jit import run_host
from common.partitioned import calls_in, partitioned, run
from common.tosa_text import Main, tensor, type_of
from mlir import ir

from forebay import targets

TAKEN = {
    "3x3": Layer(),
    "whole blocks": Layer(depth=32, channels=16),
    "stride 2": Layer(size=(8, 8), stride=(2, 2), pad=(0, 1, 0, 1)),
    "strides 1 and 2": Layer(size=(7, 9), stride=(1, 2)),
    "7x7": Layer(kernel=(7, 7), pad=(3, 3, 3, 3)),
    "10 rows at stride 2": Layer(size=(21, 8), kernel=(10, 3), stride=(2, 1), pad=(4, 5, 1, 1)),
    "11x13 at stride 2": Layer(size=(21, 25), kernel=(11, 13), stride=(2, 2), pad=(3, 5, 4, 4)),
    "no padding": Layer(pad=(0, 0, 0, 0)),
    "windows outside": Layer(pad=(4, 4, 4, 4)),
    "1x1 in a batch": Layer(batch=3, kernel=(1, 1), pad=(0, 0, 0, 0)),
    "fully connected": Layer(size=(1, 1), depth=37, channels=20, kernel=(1, 1), pad=(0,) * 4),
    "depthwise": Layer(depth=21, channels=1, depthwise=True),
    "depthwise, stride 2": Layer(size=(9, 9), depth=16, channels=1, depthwise=True, stride=(2, 2)),
    "depthwise of one channel": Layer(depth=1, channels=8, depthwise=True),
    "one factor, a clamp": Layer(per_channel=False, clamp=(-20, 33)),
}


@pytest.mark.parametrize("name", TAKEN)
def test_the_machine_gives_what_the_host_gives(name: str) -> None:
    layer = TAKEN[name]
    with ir.Context(), ir.Location.unknown():
        module, report = partitioned(layer.text(), targets.load("fetch_conv"))
        (row,) = report.operators
        assert (row.device, row.pattern) == ("accel", "conv2d")
        callees = [call.callee.value for call in calls_in(module)]
        assert callees == ["accel.fetched_layer"]
        (actual,) = run(module, layer.source())
    (expected,) = run_host(layer.text(), layer.source())
    assert len(np.unique(expected)) > 10
    np.testing.assert_array_equal(actual, expected)


REFUSED = {
    "a batch of 1, or a kernel of 1x1 that covers all": Layer(batch=2),
    "weights with zero point 0": Layer(weights_zero_point=1),
    "TFLite's double rounding": Layer(rounding="SINGLE_ROUND"),
    "no dilation": Layer(dilation=(2, 2), pad=(2, 2, 2, 2)),
    "strides of 1 or 2": Layer(size=(7, 7), stride=(3, 3)),
    "a depth multiplier of 1, or one input channel": Layer(depthwise=True, channels=2),
    "a kernel of at most 7x7, or 14 in a direction with stride 2": Layer(
        kernel=(8, 3), pad=(3, 4, 1, 1)
    ),
}


@pytest.mark.parametrize("condition", REFUSED)
def test_the_report_names_the_condition_that_fails(condition: str) -> None:
    with ir.Context(), ir.Location.unknown():
        module, report = partitioned(REFUSED[condition].text(), targets.load("fetch_conv"))
        assert calls_in(module) == []
    (row,) = report.operators
    assert (row.device, row.pattern) == ("cpu", None)
    assert row.reasons == (f"accel.conv2d needs {condition}",)


def test_back_to_back_layers_stay_in_blocks() -> None:
    first = Layer(depth=3, channels=20)
    second = Layer(size=first.out[1:3], depth=20, channels=5)
    main = Main((type_of(first.source()),))
    value, kind = first.append(main, "%x0", type_of(first.source()), seed=1)
    value, kind = second.append(main, value, kind, seed=2)
    text = main.returning(value, kind)
    with ir.Context(), ir.Location.unknown():
        module, _ = partitioned(text, targets.load("fetch_conv"))
        one, two = calls_in(module)
        callees = [one.callee.value, two.callee.value]
        assert callees == ["accel.fetched_layer", "accel.layer"]
        assert two.inputs[0] == one.result_tensors[0]
        # The first result's way back to NHWC, which is unused, is gone.
        assert [use.owner for use in one.result_tensors[0].uses] == [two]
        (actual,) = run(module, first.source())
    np.testing.assert_array_equal(actual, run_host(text, first.source())[0])


def test_two_users_of_one_value_share_its_fetch() -> None:
    layer = Layer(depth=3, channels=3)
    main = Main((type_of(layer.source()),))
    kinds = tensor((1, 9, 8, 6), "i8")
    one, kind = layer.append(main, "%x0", type_of(layer.source()), seed=1)
    two, _ = layer.append(main, "%x0", type_of(layer.source()), seed=2)
    both = main.op("tosa.concat", [(one, kind), (two, kind)], "axis = 3 : i32", kinds)
    text = main.returning(both, kinds)
    with ir.Context(), ir.Location.unknown():
        module, _ = partitioned(text, targets.load("fetch_conv"))
        callees = [call.callee.value for call in calls_in(module)]
        assert callees == ["accel.input_fetcher", "accel.layer", "accel.layer"]
        (actual,) = run(module, layer.source())
    np.testing.assert_array_equal(actual, run_host(text, layer.source())[0])
