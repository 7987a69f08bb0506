"""Whole networks: the import equals TFLite Micro, in its outputs and in every tensor on the way."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from common.models.expose import expose
from common.oracles.upstream_jit import Jit
from common.sweep import sweep
from common.tflite_reference import micro, ours, random_int8, result_types
from mlir import ir

from forebay.frontends.tflite import import_model
from forebay.reference import Interpreter

EXACT = (
    "resnet8_int8",
    "kws_dscnn_int8",
    "ad01_int8",
    "micro_speech_int8",
    "hello_world_int8",
    "person_detect_int8",
    "mobilenetv2_tf2_int8",
    "mcunet_vww_int8",
)


@pytest.mark.parametrize("name", sweep(EXACT, 5))
def test_outputs_equal_the_goldens(name: str, shared_models: Path, context: ir.Context) -> None:
    module = import_model(shared_models / f"{name}.tflite")
    dtypes = result_types(module)
    jit = Jit(module)
    for x, y in _samples(name, shared_models):
        (result,) = jit(x)
        np.testing.assert_array_equal(result.view(dtypes[0]), y)


def _samples(name: str, shared_models: Path) -> list[tuple[np.ndarray, np.ndarray]]:
    """Noise, and real inputs where there are any; those of ad01 are compared below."""
    kinds = (
        ("tflm", "real") if name in ("person_detect_int8", "mobilenetv2_tf2_int8") else ("tflm",)
    )
    samples = []
    for kind in kinds:
        golden = np.load(shared_models / "golden" / kind / f"{name}.npz")
        count = len(golden.files) // 2
        samples += [(golden[f"in{i}_0"], golden[f"out{i}_0"]) for i in range(count)]
    assert len(samples) >= 4
    return samples


def test_real_inputs_of_ad01_equal_tflite_micro(shared_models: Path) -> None:
    # The golden of these is LiteRT's, which rounds FULLY_CONNECTED once.
    file = (shared_models / "ad01_int8.tflite").read_bytes()
    golden = np.load(shared_models / "golden" / "real" / "ad01_int8.npz")
    for sample in range(3):
        inputs = [golden[f"in{sample}_0"]]
        np.testing.assert_array_equal(ours(file, inputs)[0], micro(file, inputs)[0])


@pytest.mark.parametrize(
    "name",
    sweep(["kws_dscnn_int8", "micro_speech_int8", "resnet8_int8", "person_detect_int8"], 2),
)
def test_every_tensor_equals_tflite_micro(name: str, shared_models: Path) -> None:
    file, names = expose((shared_models / f"{name}.tflite").read_bytes())
    golden = np.load(shared_models / "golden" / "tflm" / f"{name}.npz")
    inputs = [golden["in0_0"]]
    expected = micro(file, inputs)
    actual = ours(file, inputs)
    assert len(actual) == len(names) == len(expected)
    for tensor, a, e in zip(names, actual, expected, strict=True):
        np.testing.assert_array_equal(a, e, err_msg=tensor)


def test_state_is_carried_over_twenty_steps(shared_models: Path, context: ir.Context) -> None:
    jit = Jit(import_model(shared_models / "mww_vad_int8.tflite"))
    golden = np.load(shared_models / "golden" / "tflm" / "mww_vad_int8_seq.npz")
    steps = [jit(x)[0].view(np.uint8) for x in golden["x"]]
    np.testing.assert_array_equal(np.array(steps), golden["y"])


def test_float_network_is_within_a_millionth(shared_models: Path, context: ir.Context) -> None:
    jit = Jit(import_model(shared_models / "resnet8_float.tflite"))
    golden = np.load(shared_models / "golden" / "tflm" / "resnet8_float.npz")
    for sample in range(4):
        (result,) = jit(golden[f"in{sample}_0"])
        np.testing.assert_allclose(result, golden[f"out{sample}_0"], rtol=0, atol=1e-6)


def test_uint8_values_move_unchanged(shared_models: Path, context: ir.Context) -> None:
    jit = Jit(import_model(shared_models / "split_concat.tflite"))
    golden = np.load(shared_models / "golden" / "litert_ref" / "split_concat.npz")
    for sample in range(4):
        results = jit(*(golden[f"in{sample}_{k}"] for k in range(3)))
        for k, result in enumerate(results):
            np.testing.assert_array_equal(result.view(np.uint8), golden[f"out{sample}_{k}"])


def test_an_audio_front_end_has_tflite_micros_bits(
    shared_models: Path, context: ir.Context
) -> None:
    module = import_model(shared_models / "audio_preproc_int8.tflite")
    golden = np.load(shared_models / "golden" / "tflm" / "audio_preproc_int8.npz")
    interpreter = Interpreter(module.operation)
    for sample in range(4):
        interpreter.reset()  # each golden sample is the first after a reset
        (result,) = interpreter.run([golden[f"in{sample}_0"]]).outputs
        np.testing.assert_array_equal(result, golden[f"out{sample}_0"])


def test_wide_inputs_saturate_as_in_tflite_micro(shared_models: Path) -> None:
    file, names = expose((shared_models / "hello_world_int8.tflite").read_bytes())
    inputs = [random_int8(1, 1, 1)]
    for tensor, a, e in zip(names, ours(file, inputs), micro(file, inputs), strict=True):
        np.testing.assert_array_equal(a, e, err_msg=tensor)


def test_two_samples_at_once_equal_one_at_a_time(shared_models: Path, context: ir.Context) -> None:
    module = import_model(
        shared_models / "kws_dscnn_int8.tflite", shapes={"input_1": [2, 49, 10, 1]}
    )
    golden = np.load(shared_models / "golden" / "tflm" / "kws_dscnn_int8.npz")
    (both,) = Jit(module)(np.concatenate([golden["in0_0"], golden["in1_0"]]))
    np.testing.assert_array_equal(both, np.concatenate([golden["out0_0"], golden["out1_0"]]))
