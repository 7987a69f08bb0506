"""The registry of TFLite operators' lowerings: one function each, in the folder `operators`."""

from __future__ import annotations

import functools
import importlib
import pkgutil
from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType

import numpy as np
from mlir import ir
from msgspec import Struct
from numpy.typing import NDArray

from forebay.frontends.tflite.lowering.node import Node

Lower = Callable[[Node], Sequence[ir.Value | NDArray[np.generic]]]
"""Returns a value per result, or the elements of a result that is known during the import."""


class OperatorLowering(Struct, frozen=True):
    """The lowering of one operator, and the newest version of the operator that it implements."""

    name: str
    newest_version: int
    lower: Lower


class Documentation(Struct, frozen=True):
    """A row of the table in `docs/operators.md`, about operators of one form."""

    operators: tuple[str, ...]
    types: str
    limits: str
    becomes: str
    exact: str


_found: dict[str, OperatorLowering] = {}
_documented: list[Documentation] = []


def document(*operators: str, types: str, becomes: str, exact: str, limits: str = "") -> None:
    """Describe operators for `docs/operators.md`.

    `types` are the element types, `limits` what is refused, `becomes` the TOSA ops, and `exact` the
    types whose results equal TFLite Micro's bit for bit. The text is Markdown.
    """
    _documented.append(Documentation(operators, types, limits, becomes, exact))


def operator(name: str, *, newest_version: int) -> Callable[[Lower], Lower]:
    """Register the decorated function as the lowering of the operator `name`."""

    def register(lower: Lower) -> Lower:
        _found[name] = OperatorLowering(name, newest_version, lower)
        return lower

    return register


@functools.cache
def lowerings() -> Mapping[str, OperatorLowering]:
    """Return all lowerings by operator name, after importing every module of the folder."""
    package = importlib.import_module("forebay.frontends.tflite.operators")
    prefix = f"{package.__name__}."
    for module in sorted(pkgutil.walk_packages(package.__path__, prefix), key=lambda m: m.name):
        importlib.import_module(module.name)
    return MappingProxyType(dict(sorted(_found.items())))


def documented() -> tuple[Documentation, ...]:
    """Return the descriptions of all operators, sorted by their first names."""
    lowerings()
    return tuple(sorted(_documented, key=lambda row: row.operators))
