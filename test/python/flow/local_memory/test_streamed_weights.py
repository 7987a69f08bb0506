"""Weights that come into 64 KiB call by call: the plan keeps the bound, the bits are the same."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np

import forebay
from forebay.dialects import accel
from forebay.ir.nested import ops_nested_in

BOUND = 65536


def convolutions(compiled: forebay.Compiled) -> int:
    """How many calls of the engine there are."""
    ops = ops_nested_in(compiled.planned)
    return sum(isinstance(op, accel.CallOp) and "conv2d" in op.callee.value for op in ops)


def test_a_layer_that_does_not_fit_is_computed_in_parts(shared_models: Path) -> None:
    """The parts are written where the whole is: no byte of the image is copied for it."""
    model = shared_models / "resnet8_int8.tflite"
    whole = forebay.compile(model, target=f"fetch_conv:wei_mem={BOUND},stream=1")
    parts = forebay.compile(model, target="fetch_conv:wei_mem=12288,stream=1")
    assert convolutions(whole) < convolutions(parts)
    assert parts.plan.peak("wei_mem") <= 12288
    assert parts.plan.peak("act_mem") == whole.plan.peak("act_mem")
    assert [copy for copy in parts.plan.copies if "act_mem" in copy.target] == [
        copy for copy in whole.plan.copies if "act_mem" in copy.target
    ]
    image = np.random.default_rng(5).integers(-128, 128, (1, 32, 32, 3), dtype=np.int8)
    np.testing.assert_array_equal(parts.run(image), whole.run(image))


def test_every_call_finds_its_weights_loaded(shared_models: Path, tmp_path: Path) -> None:
    """In C, each convolution stands behind the loads of its weights and its table."""
    compiled = forebay.compile(
        shared_models / "resnet8_int8.tflite", target=f"fetch_conv:wei_mem={BOUND},stream=1"
    )
    compiled.write(tmp_path / "out")
    text = (tmp_path / "out" / "resnet8_int8_accel.c").read_text(encoding="utf-8")
    calls = re.findall(r"^    .*\baccel_(\w+)\(", text, re.MULTILINE)
    loaded = 0
    for function in calls:
        if function == "weight_loader":
            loaded += 1
        elif function == "conv2d":
            assert loaded == 2
            loaded = 0
    assert calls.count("conv2d") == convolutions(compiled)


def test_what_never_fits_stays_on_the_host(shared_models: Path) -> None:
    compiled = forebay.compile(
        shared_models / "kws_dscnn_int8.tflite", target="fetch_conv:wei_mem=256,stream=1"
    )
    assert convolutions(compiled) == 0
