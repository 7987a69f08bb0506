"""Import a `.mlir` file as a module that the compiler accepts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from mlir import ir

import forebay.dialects  # noqa: F401  # pyright: ignore[reportUnusedImport]  (registers)
from forebay.frontends.errors import MalformedModel, UnsupportedModel
from forebay.frontends.importers import ImportRequest
from forebay.frontends.mlir.entry import entry_of
from forebay.frontends.mlir.shapes import fix_shapes
from forebay.frontends.mlir.text import check_text
from forebay.frontends.tensors import ModelTensors
from forebay.ir.locations import describe_location
from forebay.ir.problem.port_names import name_ports
from forebay.ir.supported import Finding, findings_in
from forebay.support.files import printable

_LISTED = 30
"""The largest number of findings that are listed."""


def import_mlir(
    path: Path, *, shapes: Mapping[str, Sequence[int]] | None = None, lowered: bool = False
) -> ir.Module:
    """Return the module of a `.mlir` file, with the entry function renamed to `@main`.

    Arguments and results are named by `accel.name`; those without it are named `arg0`, `result0`,
    ... A duplicate name gets a number.

    Arguments of dynamic shape are fixed at the bound in `shapes` (by `accel.name`, or
    `arg<number>`), or at their `accel.bound`. With `lowered`, passes of the user run first, so
    unsupported operations are not refused here; `accel-check-supported` checks after these passes.

    Raises `MalformedModel` when the text does not parse or verify. Raises `UnsupportedModel` with a
    list of all unsupported operations, and when there is no single entry function or a dynamic
    shape has no bound.
    """
    if printable(str(path)) != str(path):
        raise UnsupportedModel(f"{printable(str(path))}: the name is not UTF-8; rename the file")
    content = path.read_bytes()
    check_text(path.name, content)
    try:
        module = ir.Module.parseFile(str(path))
    except ir.MLIRError as error:  # pyright: ignore[reportAttributeAccessIssue]
        raise MalformedModel(_described(error.error_diagnostics)) from error
    entry = entry_of(module, path.name)
    if not lowered:
        _check(findings_in(module))
    name_ports(entry)
    fix_shapes(module, entry, shapes or {}, path.name)
    return module


def import_request(request: ImportRequest) -> tuple[ir.Module, ModelTensors]:
    """Import a `.mlir` file as `import_mlir` does; IR has no other quantised tensors."""
    module = import_mlir(request.path, shapes=request.shapes, lowered=request.lowered)
    return module, ModelTensors()


def _described(diagnostics: Sequence[ir.DiagnosticInfo]) -> str:
    """Return a line for each diagnostic of the parser or a verifier, its notes indented below."""
    lines: list[str] = []
    for found in diagnostics:
        lines.append(f"{describe_location(found.location)}: {found.message}")
        lines += [f"  {describe_location(n.location)}: note: {n.message}" for n in found.notes]
    return "\n".join(lines)


def _check(findings: Sequence[Finding]) -> None:
    if not findings:
        return
    listed = [
        f"{describe_location(found.location)}: {found.message}" for found in findings[:_LISTED]
    ]
    if len(findings) > _LISTED:
        listed.append(f"... and {len(findings) - _LISTED} more")
    raise UnsupportedModel("\n".join(listed))
