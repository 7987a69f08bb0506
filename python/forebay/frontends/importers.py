"""The importer of each file ending, loaded when a file of that ending is imported."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from importlib import import_module
from pathlib import Path
from typing import Any

from mlir import ir
from msgspec import Struct

from forebay.errors import Error
from forebay.frontends.tensors import ModelTensors
from forebay.support.extras import require_installed


class ImportRequest(Struct, frozen=True):
    """The arguments of an importer."""

    path: Path
    shapes: Mapping[str, tuple[int, ...]] = {}
    """Shapes of inputs, by name."""
    operators: tuple[Any, ...] = ()
    """The user's own lowerings of operators, for a format that takes them."""
    lowered: bool = False
    """Whether passes of the user run first, so that unsupported operations are not refused."""


Importer = Callable[[ImportRequest], tuple[ir.Module, ModelTensors]]
"""Imports a file; IR has the quantisation of inputs and outputs, the tensors that of all others."""


class FileFormat(Struct, frozen=True):
    """A model format: its file ending, the module with its `import_request`, and what it needs."""

    ending: str
    module: str
    extra: str = ""
    """The extra of the package `forebay` that the importer needs; empty for none."""
    package: str = ""
    """A package of the extra that the importer imports when it is loaded."""


FORMATS = (
    FileFormat(".tflite", "forebay.frontends.tflite.importer"),
    FileFormat(".mlir", "forebay.frontends.mlir.importer"),
    FileFormat(".onnx", "forebay.frontends.onnx.importer", "onnx", "onnx"),
    FileFormat(".tosa", "forebay.frontends.bridges.tosa", "tosa"),
    FileFormat(".pt2", "forebay.frontends.bridges.from_torch", "torch"),
)


def importer_of(path: Path) -> Importer:
    """Load the importer of a file.

    Raises `Error` for an ending that no importer knows, and for a package that is not installed.
    """
    for format_ in FORMATS:
        if path.suffix == format_.ending:
            if format_.package:
                require_installed(
                    format_.package, format_.extra, f"{path.name} is a {format_.ending} file"
                )
            return import_module(format_.module).import_request
    raise Error(f"{path}: a model is {endings()}")


def endings() -> str:
    """Return the known endings as text, with the extras that they need."""
    names = [
        f.ending + (f" (pip install 'forebay[{f.extra}]')" if f.extra else "") for f in FORMATS
    ]
    return f"a {', '.join(names[:-1])} or {names[-1]} file"
