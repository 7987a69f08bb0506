"""Networks at their smallest budget, row by row: TFLite Micro's bits in every engine."""

import json
from itertools import product
from pathlib import Path

import numpy as np
import pytest
from common import networks
from common.models.goldens import samples
from common.sweep import sweep, sweep_cases

from forebay import cpus

IO = ("pool", "caller")
MOST = {
    "kws_dscnn_int8": (4096, 3584),
    "resnet8_int8": (10752, 9216),
    "person_detect_int8": (13312, 13312),
    "mcunet_vww_int8": (77824, 17408),
    "mobilenetv2_tf2_int8": (204800, 135168),
}
"""Bytes of the workspace at most, with the input in the pool and with the caller's."""
EMULATED = 2
"""Samples that the emulator runs."""


FAST = [
    ("generic", "pool"),
    ("cortex-m4", "caller"),
    ("cortex-m55", "pool"),
    ("x86-64-v3", "caller"),
]
KERNELS = [*FAST, *(case for case in product(cpus.names(), IO) if case not in FAST)]


@pytest.mark.parametrize(("cpu", "io"), sweep_cases(KERNELS, len(FAST)))
def test_kernels_of_one_row_compute_what_those_of_whole_tensors_do(
    cpu: str, io: str, digits: Path
) -> None:
    rows = networks.compiled(digits, budget="min", cpu=cpu, io=io)
    layers = networks.compiled(digits, io=io)
    assert rows.plan.peak("workspace") < layers.plan.peak("workspace")
    inputs = np.random.default_rng(0).integers(-128, 128, (2, *layers.inputs[0].shape), np.int8)
    for image in inputs:
        expected = layers.run(image)
        for engine in ("c", "emulator"):
            np.testing.assert_array_equal(rows.run(image, engine=engine), expected)


@pytest.mark.parametrize("cpu", ["cortex-m55", "x86-64-v3", "cortex-a76"])
@pytest.mark.parametrize("name", sweep(["kws_dscnn_int8", "resnet8_int8"]))
def test_filled_borders_do_not_read_rows_of_an_input_that_are_gone(
    cpu: str, name: str, shared_models: Path
) -> None:
    """The input is one buffer in the pool, whose rows end one after the other."""
    compiled = networks.compiled(shared_models / f"{name}.tflite", io="pool", budget="min", cpu=cpu)
    inputs, expected = next(iter(samples(shared_models, name)))
    np.testing.assert_array_equal(compiled.run(*inputs, engine="c"), expected[0])


@pytest.mark.parametrize("io", IO)
@pytest.mark.parametrize("name", sweep(MOST))
def test_the_smallest_budget_has_the_bits_of_the_goldens(
    name: str, io: str, shared_models: Path, tmp_path: Path
) -> None:
    compiled = networks.compiled(shared_models / f"{name}.tflite", io=io, budget="min")
    assert compiled.plan.peak("workspace") <= MOST[name][io == "caller"]
    for number, (inputs, expected) in enumerate(samples(shared_models, name)):
        for engine in ("c", "llvm", "emulator") if number < EMULATED else ("c", "llvm"):
            found = compiled.run(*inputs, engine=engine)
            np.testing.assert_array_equal(found, expected[0])
    compiled.write(tmp_path / "out")
    (path,) = (tmp_path / "out").glob(f"{name}.json")
    written = json.loads(path.read_text())
    assert 0 < written["row_tables"] <= 4096
    parts = [buffer for buffer in written["buffers"] if "part_of" in buffer]
    assert all(buffer["rows"][0] < buffer["rows"][1] for buffer in parts)
    assert len({buffer["part_of"] for buffer in parts}) > 3
