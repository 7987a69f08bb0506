"""TOSA flatbuffers: `tosa-opt` of the package tosa-tools writes them as MLIR."""

from __future__ import annotations

import shutil
import sys
import tempfile
from pathlib import Path
from typing import Any

from mlir import ir
from mlir.dialects import tosa

from forebay.errors import Error
from forebay.frontends.bridges.process import run_converter
from forebay.frontends.errors import MalformedModel, UnsupportedModel
from forebay.frontends.importers import ImportRequest
from forebay.frontends.mlir.importer import import_mlir
from forebay.frontends.tensors import ModelTensors
from forebay.ir.memory.underlying_buffers import NAME_ATTRIBUTE
from forebay.ir.nested import ops_nested_in

_TENSOR_NAME = "tosa.tensor_name"
_TOOL = "tosa-opt"


def import_request(request: ImportRequest) -> tuple[ir.Module, ModelTensors]:
    """Import a `.tosa` file as the MLIR that it holds; inputs and outputs keep their names.

    Raises `MalformedModel` or `UnsupportedModel`, and OSError where the file cannot be read.
    """
    path = request.path
    path.read_bytes()  # raises the error of a missing file before the tool runs
    with tempfile.TemporaryDirectory(prefix="forebay-") as folder:
        text = Path(folder, f"{path.stem}.mlir")
        run_converter(
            [
                *(tosa_opt(), "--tosa-deserialize", f"--tosa-deserialize-filename={path}"),
                *("/dev/null", "-o", str(text)),
            ],
            path.name,
        )
        text.write_text(_with_names(text.read_text(), path.name))
        module = import_mlir(text, shapes=request.shapes, lowered=request.lowered)
    return module, ModelTensors()


def tosa_opt() -> str:
    """Return the tool of this environment, or else of the path."""
    installed = Path(sys.executable).parent / _TOOL
    found = str(installed) if installed.is_file() else shutil.which(_TOOL)
    if found is None:
        raise Error(f"a .tosa file needs {_TOOL}: pip install 'forebay[tosa]'")
    return found


def _with_names(text: str, name: str) -> str:
    """Return the module with the names of its tensors, and without what only TensorFlow reads."""
    context = ir.Context()
    context.allow_unregistered_dialects = True
    with context:
        try:
            module = ir.Module.parse(text)
        except ir.MLIRError as error:  # pyright: ignore[reportAttributeAccessIssue]
            raise MalformedModel(f"tosa-opt wrote what MLIR cannot read: {error}", name) from error
        for op in ops_nested_in(module.operation):
            if isinstance(op, tosa.CustomOp):
                raise UnsupportedModel(
                    f"custom operator '{op.operator_name.value}' of '{op.domain_name.value}' is "
                    "not supported",
                    name,
                )
        for key in list(module.operation.attributes):
            del module.operation.attributes[_key(key)]
        for function in module.body.operations:
            attributes: Any = function.operation.attributes
            for kind in ("arg_attrs", "res_attrs"):
                if kind in attributes:
                    attributes[kind] = ir.ArrayAttr.get([_named(port) for port in attributes[kind]])
            for key in list(attributes):
                if "." in _key(key):
                    del attributes[_key(key)]
        return str(module)


def _named(port: Any) -> ir.DictAttr:
    if _TENSOR_NAME not in port:
        return ir.DictAttr.get({})
    return ir.DictAttr.get({NAME_ATTRIBUTE: port[_TENSOR_NAME]})


def _key(attribute: Any) -> str:
    return attribute if isinstance(attribute, str) else attribute.name
