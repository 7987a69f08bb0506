"""Whole networks on Gemmini: every convolution is on the device, with TFLite Micro's bits."""

from itertools import product
from pathlib import Path

import numpy as np
import pytest
from common import networks
from common.drivers.gemmini_process import GemminiProcess, build_project
from common.sweep import sweep, sweep_cases

from forebay.driver.compiled import Compiled
from forebay.isa.gemmini.geometry import GemminiGeometry

SMALL = ("kws_dscnn_int8", "ad01_int8", "resnet8_int8")
LARGE = ("person_detect_int8", "mobilenetv2_tf2_int8")
SIZES = ((256, 64), (64, 16), (32, 8), (16, 4))
"""KiB of scratchpad and accumulator. Large networks run at the first and the last only."""
ENDS = (SIZES[0], SIZES[-1])
FAST_CASES = [("kws_dscnn_int8", ENDS[0]), ("kws_dscnn_int8", ENDS[1]), ("ad01_int8", ENDS[0])]
CASES = [*product(SMALL, SIZES), *product(LARGE, ENDS)]
CASES.sort(key=lambda case: case not in FAST_CASES)
DRIVEN = [*product(SMALL, SIZES), *product(LARGE[:1], ENDS)]

WEIGHTED = ("CONV_2D", "DEPTHWISE_CONV_2D", "FULLY_CONNECTED")


def compiled(models: Path, name: str, size: tuple[int, int] = SIZES[0]) -> Compiled:
    target = f"gemmini:spad={size[0]}K,acc={size[1]}K"
    return networks.compiled(models / f"{name}.tflite", target=target)


def check_goldens(program: Compiled, models: Path, name: str, *engines: str) -> None:
    with np.load(models / "golden" / "tflm" / f"{name}.npz") as golden:
        for engine in engines:
            found = program.run(golden["in0_0"], engine=engine)
            np.testing.assert_array_equal(found, golden["out0_0"])


@pytest.mark.parametrize(("name", "size"), sweep_cases(CASES, len(FAST_CASES)), ids=str)
def test_outputs_are_tflite_micro_s(shared_models: Path, name: str, size: tuple[int, int]) -> None:
    program = compiled(shared_models, name, size)
    check_goldens(program, shared_models, name, "c", "emulator")


@pytest.mark.parametrize("name", sweep([*SMALL, "person_detect_int8"], 2))
def test_all_weighted_operators_are_on_the_device(shared_models: Path, name: str) -> None:
    report = compiled(shared_models, name).offload
    assert report is not None
    found = [operator for operator in report.operators if operator.kind in WEIGHTED]
    assert found
    assert {operator.device for operator in found} == {"gemmini"}


def test_the_driver_computes_keyword_spotting(shared_models: Path, tmp_path: Path) -> None:
    library = build_project(compiled(shared_models, "kws_dscnn_int8"), tmp_path)
    gemmini = GemminiProcess(library)
    assert gemmini.call("selftest") == 0


@pytest.mark.slow
@pytest.mark.parametrize(("name", "size"), DRIVEN, ids=str)
def test_the_driver_computes_whole_networks(
    shared_models: Path, tmp_path: Path, name: str, size: tuple[int, int]
) -> None:
    library = build_project(compiled(shared_models, name, size), tmp_path)
    geometry = GemminiGeometry(scratchpad_kib=size[0], accumulator_kib=size[1])
    assert GemminiProcess(library, geometry).call("selftest") == 0
