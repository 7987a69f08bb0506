# pyright: basic, reportMissingImports=false
"""An exported program of PyTorch to a `.tflite` file, by litert-torch and ai-edge-quantizer.

torch_to_tflite.py NET.pt2 NET.tflite [CALIBRATION.npz]

The archive has the arrays `<sample>_<input>`; with it the network becomes int8.
"""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import litert_torch
import numpy as np
import torch

_SIGNATURE = "serving_default"


def main(source: str, target: str, calibration: str = "") -> None:
    """Write the file, of floats, or of int8 if there is calibration data."""
    program = torch.export.load(source)
    arguments, keywords = program.example_inputs
    if keywords:
        sys.exit("inputs by keyword are not supported; export with positional inputs")
    model = litert_torch.convert(program.module(), tuple(arguments))
    if not calibration:
        model.export(target)
        return
    with tempfile.TemporaryDirectory() as folder:
        floats = str(Path(folder, "floats.tflite"))
        model.export(floats)
        _quantise(floats, target, np.load(calibration))


def _quantise(floats: str, target: str, arrays: np.lib.npyio.NpzFile) -> None:
    from ai_edge_quantizer import quantizer, recipe  # noqa: PLC0415  (slow, and not always used)

    made = quantizer.Quantizer(floats, recipe.static_wi8_ai8())
    statistics = made.calibrate({_SIGNATURE: list(_samples(arrays))})
    made.quantize(statistics, enable_progress_report=False).export_model(target, overwrite=True)


def _samples(arrays: np.lib.npyio.NpzFile) -> Iterator[dict[str, np.ndarray]]:
    numbers = sorted({int(name.split("_")[0]) for name in arrays.files})
    inputs = sorted({int(name.split("_")[1]) for name in arrays.files})
    for number in numbers:
        yield {f"args_{i}": arrays[f"{number}_{i}"] for i in inputs}


main(*sys.argv[1:])
