"""Networks whose operations overlap in queues: the same bits, close to the busiest queue."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from common.sweep import sweep

import forebay

IN_ORDER = "fetch_conv:wei_mem=65536,stream=1"
QUEUES = f"{IN_ORDER},depth=4"
ENGINES = ("emulator", "c", "llvm")


def drawn(compiled: forebay.Compiled) -> list[np.ndarray]:
    generator = np.random.default_rng(3)
    return [
        generator.integers(-128, 128, port.shape, dtype=np.int8) for port in compiled.info.inputs
    ]


def cycles(compiled: forebay.Compiled) -> tuple[int, int]:
    """All cycles, and those of the busiest queue."""
    assert compiled.report is not None
    timeline = compiled.report.timeline
    busy = {lane: timeline.busy(lane) for lane in timeline.lanes if lane != "host"}
    return compiled.report.cycles, max(busy.values())


@pytest.mark.parametrize("act_mem", sweep([262144, 16384]))
def test_weights_of_the_next_layer_are_loaded_while_one_is_computed(
    act_mem: int, shared_models: Path
) -> None:
    model = shared_models / "resnet8_int8.tflite"
    serial = forebay.compile(model, target=f"{IN_ORDER},act_mem={act_mem}")
    overlapped = forebay.compile(model, target=f"{QUEUES},act_mem={act_mem}")
    inputs = drawn(serial)
    expected = serial.run(*inputs, engine="emulator")
    for engine in ENGINES:
        np.testing.assert_array_equal(overlapped.run(*inputs, engine=engine), expected)
    np.testing.assert_array_equal(overlapped.checked("c").run(inputs)[0], expected)
    before, after = cycles(serial)[0], cycles(overlapped)[0]
    assert after < 0.92 * before
    assert after <= 1.15 * cycles(overlapped)[1]
    assert serial.report is not None
    assert overlapped.report is not None
    assert overlapped.report.macs == serial.report.macs


def test_more_memory_is_not_slower(shared_models: Path) -> None:
    """The first image fits as a whole into 256 KiB, but its tiles are loaded while one computes."""
    model = shared_models / "person_detect_int8.tflite"
    larger, smaller = (
        forebay.compile(model, target=f"{QUEUES},act_mem={size}") for size in (262144, 131072)
    )
    for compiled in (larger, smaller):
        compiled.run(*drawn(compiled), engine="emulator")
    assert cycles(larger)[0] <= cycles(smaller)[0]
    assert cycles(larger)[0] <= 1.05 * cycles(larger)[1]


def test_one_operation_in_flight_leaves_the_host_waiting(shared_models: Path) -> None:
    model = shared_models / "kws_dscnn_int8.tflite"
    serial = forebay.compile(model, target=IN_ORDER)
    waiting = forebay.compile(model, target=QUEUES, in_flight=1)
    inputs = drawn(serial)
    np.testing.assert_array_equal(
        waiting.run(*inputs, engine="emulator"), serial.run(*inputs, engine="emulator")
    )
    assert cycles(waiting)[0] == cycles(serial)[0]
    assert {p: waiting.plan.peak(p) for p in waiting.plan.pools} == {
        p: serial.plan.peak(p) for p in serial.plan.pools
    }
