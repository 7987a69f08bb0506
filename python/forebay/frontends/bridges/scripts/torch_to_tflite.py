# pyright: basic, reportMissingImports=false
"""An exported program of PyTorch to a `.tflite` file, by litert-torch and ai-edge-quantizer.

torch_to_tflite.py NET.pt2 NET.tflite [CALIBRATION.npz]

The archive has the arrays `<sample>_<input>`; with it the network becomes int8.
"""

from __future__ import annotations

import copy
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
    module = program.module()
    _multiply_squares(module.graph)
    module.recompile()
    model = litert_torch.convert(module, tuple(arguments))
    if not calibration:
        model.export(target)
        return
    with tempfile.TemporaryDirectory() as folder:
        floats = str(Path(folder, "floats.tflite"))
        model.export(floats)
        _quantise(floats, target, np.load(calibration))


def _multiply_squares(graph: torch.fx.Graph) -> None:
    """Write `x ** 2` as `x * x`: the converter refuses a POW of more than four dimensions."""
    aten = torch.ops.aten
    for node in graph.nodes:
        if node.target == aten.pow.Tensor_Scalar and node.args[1] == 2:
            node.target, node.args = aten.mul.Tensor, (node.args[0], node.args[0])


def _quantise(floats: str, target: str, arrays: np.lib.npyio.NpzFile) -> None:
    from ai_edge_litert.interpreter import Interpreter  # noqa: PLC0415  (slow, not always used)
    from ai_edge_quantizer import quantizer, recipe  # noqa: PLC0415

    _flatten_biases(floats)
    inputs = Interpreter(floats).get_signature_runner(_SIGNATURE).get_input_details()
    types = {name: details["dtype"] for name, details in inputs.items()}
    made = quantizer.Quantizer(floats, recipe.static_wi8_ai8())
    statistics = made.calibrate({_SIGNATURE: list(_samples(arrays, types))})
    made.quantize(statistics, enable_progress_report=False).export_model(target, overwrite=True)


def _flatten_biases(floats: str) -> None:
    """Make each bias of a FULLY_CONNECTED a vector.

    The converter makes `[1, 1, 1, n]` where it folds a factor of each channel into a layer. The
    quantiser would write these with n * n elements.
    """
    from ai_edge_litert import schema_py_generated as schema  # noqa: PLC0415
    from ai_edge_quantizer.utils.tfl_flatbuffer_utils import (  # noqa: PLC0415
        read_model,
        write_model,
    )

    model = read_model(Path(floats))
    codes = [code.builtinCode for code in model.operatorCodes]
    for graph in model.subgraphs:
        for op in graph.operators:
            is_layer = codes[op.opcodeIndex] == schema.BuiltinOperator.FULLY_CONNECTED
            if is_layer and len(op.inputs) > 2 and op.inputs[2] >= 0:
                op.inputs[2] = _flattened(graph.tensors, op.inputs[2])
    write_model(model, floats)


def _flattened(tensors: list, index: int) -> int:
    """Return the index of a tensor that has the elements as a vector."""
    if len(tensors[index].shape) == 1:
        return index
    vector = copy.copy(tensors[index])
    vector.name = vector.name + b"/vector"
    vector.shape = np.array([np.prod(vector.shape)], np.int32)
    vector.shapeSignature = None
    tensors.append(vector)
    return len(tensors) - 1


def _samples(arrays: np.lib.npyio.NpzFile, types: dict) -> Iterator[dict[str, np.ndarray]]:
    """Yield the inputs of each inference, in the types that they have in the file."""
    for number in sorted({int(name.split("_")[0]) for name in arrays.files}):
        yield {
            name: arrays[f"{number}_{name.removeprefix('args_')}"].astype(type_)
            for name, type_ in types.items()
        }


main(*sys.argv[1:])
