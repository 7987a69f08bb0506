"""Build the module of an imported network, and verify it."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

from mlir import ir

from forebay.frontends.errors import UnsupportedModel


def build_module(file_name: str, name: str | None, build: Callable[[], None]) -> ir.Module:
    """Return a module with what `build` creates; `name` defaults to the file's."""
    with ir.Location.file(file_name, 0, 0):
        module = ir.Module.create()
        symbol = sanitize(name if name is not None else Path(file_name).stem)
        module.operation.attributes["sym_name"] = ir.StringAttr.get(symbol)
        with ir.InsertionPoint(module.body):
            build()
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
