"""Modules of PyTorch: a `.tflite` file, by litert-torch and ai-edge-quantizer."""

from __future__ import annotations

import tempfile
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from mlir import ir

from forebay.errors import Error
from forebay.frontends.bridges.process import run_script
from forebay.frontends.errors import UnsupportedModel
from forebay.frontends.importers import ImportRequest, importer_of
from forebay.frontends.tensors import ModelTensors
from forebay.support.extras import require_installed

_EXTRA = "torch"


def import_request(request: ImportRequest) -> tuple[ir.Module, ModelTensors]:
    """Import a `.pt2` file of `torch.export.save`, as floats.

    Raises the errors of a `.tflite` file, and OSError where the file cannot be read.
    """
    request.path.read_bytes()  # raises the error of a missing file before PyTorch is loaded
    with tempfile.TemporaryDirectory(prefix="forebay-") as folder:
        made = Path(folder, f"{request.path.stem}.tflite")
        _convert(request.path, made, None)
        return importer_of(made)(ImportRequest(made, request.shapes))


def export_torch(
    module: Any, example: Sequence[Any], calibration: Iterable[Sequence[Any]] | None, path: Path
) -> None:
    """Write a module, for inputs like `example`, as a `.tflite` file.

    PyTorch traces the module in this process, since it belongs to it; the conversion runs in
    another. With `calibration`, inputs of several inferences, the network becomes int8.
    """
    require_installed("torch", _EXTRA, "PyTorch exports the module")
    import torch  # noqa: PLC0415  # pyright: ignore[reportMissingImports]

    archive = path.with_suffix(".pt2")
    try:
        with torch.no_grad():
            program = torch.export.export(module.eval(), tuple(example))
        torch.export.save(program, archive)
    except Exception as error:  # PyTorch runs the module, which raises what it raises
        raise UnsupportedModel(f"PyTorch cannot export it: {error}", path.stem) from error
    samples = None if calibration is None else _samples(calibration)
    _convert(archive, path, samples)


def _convert(archive: Path, target: Path, samples: dict[str, Any] | None) -> None:
    require_installed("litert_torch", _EXTRA, f"{archive.name} is converted by litert-torch")
    arguments: list[str | Path] = [archive, target]
    if samples is not None:
        data = target.with_suffix(".npz")
        np.savez(data, **samples)
        arguments.append(data)
    run_script("torch_to_tflite", arguments, archive.name)


def _samples(calibration: Iterable[Sequence[Any]]) -> dict[str, Any]:
    arrays = {
        f"{number}_{i}": np.asarray(value)
        for number, inputs in enumerate(calibration)
        for i, value in enumerate(inputs)
    }
    if not arrays:
        raise Error("calibration has no inputs: give those of several inferences, as tuples")
    return arrays
