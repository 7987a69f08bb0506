"""From a file to running C: the bits are TFLite Micro's, on every sample there is."""

from pathlib import Path

import numpy as np
import pytest
from common import networks
from common.models.expose import expose
from common.models.goldens import samples
from common.sweep import sweep

import forebay

EXACT = [
    "resnet8_int8",
    "kws_dscnn_int8",
    "ad01_int8",
    "person_detect_int8",
    "micro_speech_int8",
    "hello_world_int8",
    "mobilenetv2_tf2_int8",
    "mcunet_vww_int8",
]
MORE = ["split_concat"]


def run(compiled: forebay.Compiled, inputs: list[np.ndarray], engine: str) -> list[np.ndarray]:
    result = compiled.run(*inputs, engine=engine)
    return list(result) if isinstance(result, tuple) else [result]


@pytest.mark.parametrize("name", EXACT + MORE)
def test_outputs_equal_the_goldens(name: str, shared_models: Path) -> None:
    compiled = networks.compiled(shared_models / f"{name}.tflite")
    seen = 0
    for inputs, expected in samples(shared_models, name):
        for actual, golden in zip(run(compiled, inputs, "c"), expected, strict=True):
            np.testing.assert_array_equal(actual, golden)
        seen += 1
    assert seen >= 4


@pytest.mark.parametrize("name", ["kws_dscnn_int8", "hello_world_int8", "resnet8_float"])
@pytest.mark.parametrize("io", ["caller", "pool"])
def test_llvm_and_pooled_ports_agree(name: str, io: str, shared_models: Path) -> None:
    compiled = networks.compiled(shared_models / f"{name}.tflite", io=io)
    for inputs, expected in samples(shared_models, name):
        for engine in ("c", "llvm"):
            (actual,) = run(compiled, inputs, engine)
            np.testing.assert_allclose(actual, expected[0], rtol=0, atol=1e-6)


def test_float_is_close_to_tflite_micro(shared_models: Path) -> None:
    compiled = networks.compiled(shared_models / "resnet8_float.tflite")
    for inputs, expected in samples(shared_models, "resnet8_float"):
        np.testing.assert_allclose(run(compiled, inputs, "c")[0], expected[0], rtol=0, atol=1e-6)


@pytest.mark.parametrize("engine", ["c", "llvm"])
def test_state_lasts_over_a_sequence(engine: str, shared_models: Path) -> None:
    compiled = networks.compiled(shared_models / "mww_vad_int8.tflite")
    with np.load(shared_models / "golden" / "tflm" / "mww_vad_int8_seq.npz") as sequence:
        for _ in range(2):  # a reset starts again
            compiled.reset(engine)
            for x, y in zip(sequence["x"], sequence["y"], strict=True):
                np.testing.assert_array_equal(compiled.run(x, engine=engine), y)


@pytest.mark.parametrize("engine", ["c", "llvm"])
def test_running_before_the_first_reset_is_refused(engine: str, shared_models: Path) -> None:
    compiled = forebay.compile(shared_models / "mww_vad_int8.tflite")
    with pytest.raises(forebay.Error, match="reset it before the first run"):
        compiled.run(np.zeros((1, 3, 40), np.int8), engine=engine)


def test_real_inputs_of_ad01_equal_tflite_micro(shared_models: Path) -> None:
    from common.tflite_reference import micro

    model = shared_models / "ad01_int8.tflite"
    compiled = networks.compiled(model)
    with np.load(shared_models / "golden" / "real" / "ad01_int8.npz") as arrays:
        for sample in range(3):
            x = arrays[f"in{sample}_0"]
            np.testing.assert_array_equal(compiled.run(x), micro(model.read_bytes(), [x])[0])


@pytest.mark.parametrize(
    "name",
    sweep(["kws_dscnn_int8", "micro_speech_int8", "resnet8_int8", "person_detect_int8"], fast=2),
)
def test_every_intermediate_equals_tflite_micro(
    name: str, shared_models: Path, tmp_path: Path
) -> None:
    from common.tflite_reference import micro

    file, names = expose((shared_models / f"{name}.tflite").read_bytes())
    model = tmp_path / f"{name}.tflite"
    model.write_bytes(file)
    compiled = forebay.compile(model)
    inputs, _ = next(samples(shared_models, name))
    expected = micro(file, inputs)
    assert len(expected) == len(names) > 3
    for tensor, actual, golden in zip(names, run(compiled, inputs, "c"), expected, strict=True):
        np.testing.assert_array_equal(actual, golden, err_msg=tensor)
