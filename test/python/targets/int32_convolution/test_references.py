"""The traced references of whole layers: the values of the model before layers are in tiles."""

from pathlib import Path

import pytest
from common.conv_layer import Layer
from common.sweep import sweep

import forebay

LAYERS = {
    "dense": Layer(size=(5, 4), depth=19, channels=5, stride=(2, 1)),
    "depthwise": Layer(size=(4, 3), depth=18, channels=1, depthwise=True, dilation=(1, 1)),
    "rounded once": Layer(size=(3, 3), depth=3, rounding="SINGLE_ROUND", clamp=(-20, 50)),
}


@pytest.mark.parametrize("target", ["gemmini", "vta"])
@pytest.mark.parametrize("name", sweep(LAYERS))
def test_a_layer_is_the_model_s_in_each_step(tmp_path: Path, name: str, target: str) -> None:
    """The program runs before and after each pass: as a layer, and in tiles."""
    path = tmp_path / "net.mlir"
    path.write_text(LAYERS[name].text())
    program = forebay.compile(path, target=target, verify_each=True)
    assert program.offload is not None
    (operator,) = program.offload.operators
    assert operator.device != "cpu"
    program.expected_outputs()  # compares the last step with the model
