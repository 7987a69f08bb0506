"""The device's own requantisation: close to the model, the same in all engines, else refused."""

from pathlib import Path

import numpy as np
import pytest
from common.conv_layer import Layer
from common.drivers.gemmini_process import GemminiProcess, build_project

import forebay

DENSE = Layer(size=(5, 6), depth=19, channels=21)


def compiled(folder: Path, layer: Layer = DENSE, **options):
    (folder / "net.mlir").write_text(layer.text())
    return forebay.compile(
        folder / "net.mlir", **{"target": "gemmini", "requantise": "device", **options}
    )


@pytest.mark.parametrize(
    "layer", [DENSE, Layer(depth=37, channels=1, depthwise=True, size=(5, 6))], ids=str
)
def test_outputs_are_close_to_the_model_s(tmp_path: Path, layer: Layer) -> None:
    program = compiled(tmp_path, layer)
    golden = program.expected_outputs()
    assert golden.deviation is not None
    # Weights of smaller channels lose bits: the factors of these layers are up to 8 apart.
    assert 0 < golden.deviation.largest <= 16
    assert golden.deviation.steps == 8
    assert not golden.is_independent


def test_one_factor_for_all_channels_deviates_by_one(tmp_path: Path) -> None:
    layer = Layer(size=(5, 6), depth=19, channels=21, per_channel=False)
    deviation = compiled(tmp_path, layer).expected_outputs().deviation
    assert deviation is not None
    assert deviation.largest <= 1


def test_the_instructions_compute_what_the_engines_do(tmp_path: Path) -> None:
    program = compiled(tmp_path, target="gemmini:spad=8K,acc=1K")
    gemmini = GemminiProcess(build_project(program, tmp_path))
    assert gemmini.call("selftest") == 0
    (step,) = program.golden.steps
    for engine in ("c", "emulator"):
        np.testing.assert_array_equal(program.run(*step.inputs, engine=engine), step.outputs[0])


def test_an_activation_that_is_no_saturation_stays_with_the_host(tmp_path: Path) -> None:
    program = compiled(tmp_path, Layer(size=(5, 6), clamp=(-100, 100)))
    deviation = program.expected_outputs().deviation
    assert deviation is not None
    assert deviation.largest == 0


@pytest.mark.parametrize("target", ["host", "fetch_conv:act_mem=64K"])
def test_targets_without_it_refuse(tmp_path: Path, target: str) -> None:
    with pytest.raises(forebay.Error, match="leaves requantisation to the host"):
        compiled(tmp_path, target=target)
