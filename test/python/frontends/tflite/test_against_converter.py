"""Arm's converter as a second opinion: both imports, lowered upstream, compute the same."""

from __future__ import annotations

import io
from pathlib import Path

import numpy as np
import pytest
from common.oracles.upstream_jit import Jit
from common.sweep import sweep
from mlir import ir

from forebay.frontends.tflite import import_model

NAMES = ("kws_dscnn_int8", "ad01_int8", "micro_speech_int8", "resnet8_int8", "person_detect_int8")


@pytest.mark.parametrize("name", sweep(NAMES, 3))
def test_both_imports_compute_the_same(name: str, shared_models: Path, context: ir.Context) -> None:
    converter = pytest.importorskip(
        "tosa_converter_for_tflite", reason="tosa-converter-for-tflite is not installed"
    )
    path = shared_models / f"{name}.tflite"
    golden = np.load(shared_models / "golden" / "tflm" / f"{name}.npz")
    inputs = np.random.default_rng(3).integers(-128, 128, golden["in0_0"].shape, np.int8)
    ours = import_model(path)
    theirs = ir.Module.parse(_convert(converter, path, ours))
    np.testing.assert_array_equal(Jit(ours)(inputs)[0], Jit(theirs)(inputs)[0])


def _convert(converter, path: Path, ours: ir.Module) -> str:
    """The text of Arm's conversion, with the batch that is dynamic there fixed as it is here."""
    main = ours.body.operations[0]
    name = ir.StringAttr(
        ir.DictAttr(ir.ArrayAttr(main.attributes["arg_attrs"])[0])["accel.name"]
    ).value
    text = io.BytesIO()
    shape = list(ir.RankedTensorType(main.type.inputs[0]).shape)
    converter._tflite_flatbuffer_to_tosa_mlir(
        str(path),
        text,
        converter.TosaConverterOutputFormat.Text,
        converter.TosaConverterDebugInfo.Disabled,
        {name: shape},
    )
    return text.getvalue().decode()
