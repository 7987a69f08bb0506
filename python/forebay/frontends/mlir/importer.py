"""A `.mlir` file to a module that the compiler takes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from mlir import ir

import forebay.dialects  # noqa: F401  # pyright: ignore[reportUnusedImport]  (registers)
from forebay.frontends.errors import MalformedModel, UnsupportedModel
from forebay.frontends.mlir.entry import entry_of
from forebay.frontends.mlir.shapes import fix_shapes
from forebay.frontends.mlir.text import check_text
from forebay.ir.locations import describe_location
from forebay.ir.problem.port_names import name_ports
from forebay.ir.supported import Finding, findings_in
from forebay.support.files import printable

_LISTED = 30
"""At most this many findings are listed."""


def import_mlir(
    path: Path, *, shapes: Mapping[str, Sequence[int]] | None = None, lowered: bool = False
) -> ir.Module:
    """The module of a `.mlir` file, with the entry function called `@main`, its ports named.

    Arguments and results go by `accel.name`, those without by `arg0`, `result0`, ...; a name that
    was given twice gets a number.

    Arguments of dynamic shape are fixed at the bound in `shapes` (by `accel.name`, or
    `arg<number>`), or at their `accel.bound`. With `lowered`, passes of the user's own run first,
    so what is not supported is left to them, and to `accel-check-supported` behind them.

    Raises `MalformedModel` when the text does not parse or verify, and `UnsupportedModel` with all
    that is not supported, when it has no single entry function or a shape without a bound.
    """
    if printable(str(path)) != str(path):
        raise UnsupportedModel(f"{printable(str(path))}: the name is not UTF-8; rename the file")
    content = path.read_bytes()
    check_text(path.name, content)
    try:
        module = ir.Module.parseFile(str(path))
    except ir.MLIRError as error:  # pyright: ignore[reportAttributeAccessIssue]
        raise MalformedModel(f"{path.name}: {error}") from error
    entry = entry_of(module, path.name)
    if not lowered:
        _check(findings_in(module))
    name_ports(entry)
    fix_shapes(module, entry, shapes or {}, path.name)
    return module


def _check(findings: Sequence[Finding]) -> None:
    if not findings:
        return
    listed = [
        f"{describe_location(found.location)}: {found.message}" for found in findings[:_LISTED]
    ]
    if len(findings) > _LISTED:
        listed.append(f"... and {len(findings) - _LISTED} more")
    raise UnsupportedModel("\n".join(listed))
