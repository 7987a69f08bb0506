"""The public entry of the front end: import a file as a module."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from pathlib import Path

from mlir import ir

from forebay.frontends.errors import UnsupportedModel
from forebay.frontends.tflite.file.reader import read_model
from forebay.frontends.tflite.lowering.registry import lowerings
from forebay.frontends.tflite.main_function import MainFunction
from forebay.support.files import printable

_FROM_MEMORY = "model.tflite"


def import_model(
    source: Path | bytes,
    *,
    name: str | None = None,
    shapes: Mapping[str, Sequence[int]] | None = None,
) -> ir.Module:
    """Import a `.tflite` file, or its bytes, into the active MLIR context.

    `name` becomes the module's symbol and defaults to the file's name; `shapes` overrides the
    shapes of inputs by their names. The module holds `func.func @main` in TOSA on static tensors.
    Raises `MalformedModel` or `UnsupportedModel`, and OSError where the file cannot be read.
    """
    file_name = printable(source.name) if isinstance(source, Path) else _FROM_MEMORY
    file = source.read_bytes() if isinstance(source, Path) else source
    lowerings()  # they declare the options to read
    model = read_model(file, file_name)
    with ir.Location.file(file_name, 0, 0):
        module = ir.Module.create()
        symbol = sanitize(name if name is not None else Path(file_name).stem)
        module.operation.attributes["sym_name"] = ir.StringAttr.get(symbol)
        with ir.InsertionPoint(module.body):
            MainFunction(model, {k: tuple(v) for k, v in (shapes or {}).items()}).build()
    _verify(module, file_name)
    return module


def _verify(module: ir.Module, file_name: str) -> None:
    try:
        module.operation.verify()
    except ir.MLIRError as error:  # pyright: ignore[reportAttributeAccessIssue]
        message = "; ".join(f"{d.location}: {d.message}" for d in error.error_diagnostics)
        raise UnsupportedModel(
            f"{file_name}: TOSA does not allow this network: {message}"
        ) from error


def sanitize(name: str) -> str:
    """Return a C identifier similar to `name`."""
    identifier = re.sub(r"[^A-Za-z0-9_]", "_", name)
    return f"m{identifier}" if not identifier or identifier[0].isdigit() else identifier
