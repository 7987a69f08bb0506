"""Whole networks: the interpreter has TFLite Micro's bits, and takes nothing from the compiler."""

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from common.models.goldens import samples
from common.sweep import sweep
from mlir import ir

from forebay.frontends.tflite import import_model
from forebay.reference import Interpreter

EXACT = [
    "resnet8_int8",
    "kws_dscnn_int8",
    "ad01_int8",
    "person_detect_int8",
    "micro_speech_int8",
    "hello_world_int8",
    "split_concat",
    "mobilenetv2_tf2_int8",
    "mcunet_vww_int8",
]


def outputs(model: Path, runs: list[list[np.ndarray]]) -> list[tuple[np.ndarray, ...]]:
    """What the interpreter answers, from one reset on."""
    with ir.Context(), ir.Location.unknown():
        interpreter = Interpreter(import_model(model).operation)
        return [interpreter.run(inputs).outputs for inputs in runs]


@pytest.mark.parametrize("name", sweep(EXACT, len(EXACT) - 2))
def test_bits_of_tflite_micro(name: str, shared_models: Path) -> None:
    pairs = list(samples(shared_models, name))
    assert len(pairs) >= 4
    found = outputs(shared_models / f"{name}.tflite", [inputs for inputs, _ in pairs])
    for actual, (_, expected) in zip(found, pairs, strict=True):
        for one, golden in zip(actual, expected, strict=True):
            np.testing.assert_array_equal(one.view(golden.dtype), golden)


def test_floats_are_close_to_tflite_micro(shared_models: Path) -> None:
    pairs = list(samples(shared_models, "resnet8_float"))
    found = outputs(shared_models / "resnet8_float.tflite", [inputs for inputs, _ in pairs])
    for (actual,), (_, (expected,)) in zip(found, pairs, strict=True):
        np.testing.assert_allclose(actual, expected, rtol=0, atol=1e-6)


def test_state_lasts_until_a_reset(shared_models: Path) -> None:
    with np.load(shared_models / "golden" / "tflm" / "mww_vad_int8_seq.npz") as sequence:
        inputs, expected = list(sequence["x"]), sequence["y"]
    with ir.Context(), ir.Location.unknown():
        interpreter = Interpreter(import_model(shared_models / "mww_vad_int8.tflite").operation)
        for _ in range(2):
            interpreter.reset()
            found = [interpreter.run([x]).outputs[0].view(np.uint8) for x in inputs]
            np.testing.assert_array_equal(found, expected)
    assert len({int(y.item()) for y in expected}) > 1


@pytest.mark.parametrize("number", range(0, 34, 3))
def test_layers_of_a_speech_codec(number: int, shared_models: Path) -> None:
    folder, name = shared_models / "seanet", f"strided_slice{number}"
    with np.load(folder / "golden" / f"{name}.npz") as arrays:
        x, expected = arrays["in0_0"], arrays["out0_0"]
    ((actual,),) = outputs(folder / f"{name}.tflite", [[x]])
    np.testing.assert_array_equal(actual, expected)


def test_it_loads_nothing_that_compiles() -> None:
    """In a process of its own: no pass, no engine, no kernel, and no folder that has one."""
    program = (
        "import sys, importlib, pkgutil, forebay.reference.interpreter\n"
        "import forebay.reference.rules as r\n"
        "for m in pkgutil.walk_packages(r.__path__, 'forebay.reference.rules.'):\n"
        "    importlib.import_module(m.name)\n"
        "print(*(m for m in sys.modules if m.startswith('forebay.')))"
    )
    loaded = subprocess.run(
        [sys.executable, "-c", program], check=True, capture_output=True, text=True
    ).stdout.split()
    parts = {name.split(".")[1] for name in loaded}
    assert "reference" in parts
    records = {"forebay.support", "forebay.support.records"}
    assert {name for name in loaded if name.split(".")[1] == "support"} <= records
    known = {"reference", "dialects", "_libs", "errors", "ir", "pools", "support"}
    assert parts <= known, parts
    assert not [name for name in loaded if name.startswith("forebay.planning.planners")]
