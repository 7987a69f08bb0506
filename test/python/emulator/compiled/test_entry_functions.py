"""The emitted code in the machine: right pointers compute, wrong plans are caught."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from common import networks
from common.drivers import compiled_code
from mlir import ir

from forebay.emulator.compiled.c_machine import CheckedEngine
from forebay.emulator.memory.faults import (
    Fault,
    Misaligned,
    NoRight,
    OutOfRange,
    WrongPool,
)
from forebay.pipelines import run_pipeline

TEXT = (Path(__file__).parents[2] / "codegen" / "inputs" / "two_devices.mlir").read_text()
X = np.array([0, 1, 2, 3, -4, 5, -6, 60], np.int8)
WEIGHTS = np.array([range(1, 9), [-1] * 4 + [1] * 4, range(-8, 0)])
BOTH = pytest.mark.parametrize("through", compiled_code.BOTH)


@pytest.fixture(autouse=True)
def _context() -> Iterator[None]:
    with ir.Context(), ir.Location.unknown():
        yield


def network(*changes: tuple[str, str]) -> compiled_code.Network:
    module = ir.Module.parse(TEXT)
    run_pipeline(module, "builtin.module(memref-pool-plan{planner=first-fit})")
    return compiled_code.network(module, *changes)


def refused(kind: type[Fault], through: str, *changes: tuple[str, str]) -> str:
    engine = CheckedEngine(*network(*changes), through=through)
    with pytest.raises(Fault) as caught:
        engine.run([X])
    assert type(caught.value) is kind
    return str(caught.value)


@BOTH
def test_a_right_plan_computes(through: str) -> None:
    engine = CheckedEngine(*network(), through=through)
    for x in np.random.default_rng(0).integers(-60, 60, (4, 8), np.int8):
        expected = np.maximum(WEIGHTS @ (x.astype(np.int32) + 1), 0)
        np.testing.assert_array_equal(engine.run([x])[0], expected)
    assert engine.report.calls == {"@npu0.scale": 2, "@npu1.dense": 1}
    assert engine.report.macs == 24


@BOTH
@pytest.mark.parametrize("name", ["kws_dscnn_int8"])
def test_networks_compute_the_goldens(name: str, through: str, shared_models: Path) -> None:
    compiled = networks.compiled(shared_models / f"{name}.tflite", target="fetch_conv")
    engine = compiled.checked(through)
    with np.load(shared_models / "golden" / "tflm" / f"{name}.npz") as arrays:
        for sample in range(2):
            (actual,) = engine.run([arrays[f"in{sample}_0"]])
            np.testing.assert_array_equal(actual, arrays[f"out{sample}_0"])
        compiled.run(arrays["in1_0"], engine="emulator")
    assert compiled.report is not None
    assert engine.report.calls == {"@accel.conv2d": 10, "@accel.input_fetcher": 2}
    assert engine.report.calls == compiled.report.calls
    assert engine.report.macs == compiled.report.macs


ALLOC = "memref_pool.alloc at <@act_mem, {}>"
SPACE = "#memref_pool.space<@act_mem>"
DENSE_INS = f"ins(%2, %4 : memref<8xi8, {SPACE}>, memref<3x8xi8, #memref_pool.space<@wei_mem>>)"
SWAPPED = f"ins(%4, %2 : memref<3x8xi8, #memref_pool.space<@wei_mem>>, memref<8xi8, {SPACE}>)"
WRONG = {
    "two operands swapped": (
        WrongPool,
        (DENSE_INS, SWAPPED),
        "call 1: npu_dense finds operand 'x' of @npu1.dense at byte 0 of @wei_mem, but it may be "
        "in @act_mem only",
    ),
    "a result in the caller's memory": (
        WrongPool,
        (f"outs(%3 : memref<3xi32, {SPACE}>) accumulate", "outs(%arg1 : memref<3xi32>) accumulate"),
        "call 1: npu_dense finds operand 'sum' of @npu1.dense in no pool",
    ),
    "a buffer behind its pool": (
        WrongPool,
        ("%2 = " + ALLOC.format(16), "%2 = " + ALLOC.format(4096)),
        "call 2: npu_scale finds operand 'y' of @npu0.scale in no pool",
    ),
    "a pool that the device may not read": (
        NoRight,
        ("read [@cpu, @npu0] write [@cpu]", "read [@cpu] write [@cpu]"),
        "call 1: npu_scale finds operand 'x' of @npu0.scale at byte 0 of @l2_mem, which device "
        "'npu0' may not use so",
    ),
    "a misaligned buffer": (
        Misaligned,
        ("%1 = " + ALLOC.format(0), "%1 = " + ALLOC.format(8)),
        "call 1: npu_scale finds operand 'y' of @npu0.scale at byte 8 of @act_mem, which is not "
        "aligned to 16",
    ),
    "scalars that lead out of the pool": (
        OutOfRange,
        ("count = 8 : i64, numerator = 2", "count = 9 : i64, numerator = 2"),
        "call 1: npu_scale of @npu0.scale uses element 8 of operand 'x', which has 8 there",
    ),
    "weights outside of their pool": (
        WrongPool,
        (DENSE_INS, f"ins(%2, %2 : memref<8xi8, {SPACE}>, memref<8xi8, {SPACE}>)"),
        "call 1: npu_dense finds operand 'w' of @npu1.dense at byte 16 of @act_mem, but it may be "
        "in @wei_mem only",
    ),
}


@BOTH
@pytest.mark.parametrize("name", WRONG)
def test_wrong_plans_are_caught(name: str, through: str) -> None:
    kind, change, message = WRONG[name]
    assert refused(kind, through, change) == message


def test_a_run_after_a_fault_is_one_of_its_own() -> None:
    engine = CheckedEngine(*network(WRONG["a misaligned buffer"][1]))
    for _ in range(2):
        with pytest.raises(Misaligned, match=r"^call 1: npu_scale finds operand 'y'"):
            engine.run([X])
