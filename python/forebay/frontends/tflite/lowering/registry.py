"""The registry of TFLite operators' lowerings: one function each, in the folder `operators`."""

from __future__ import annotations

import functools
import importlib
import pkgutil
from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import Any

import numpy as np
from mlir import ir
from msgspec import Struct
from numpy.typing import NDArray

from forebay.frontends.tflite.lowering.node import Node

Result = ir.Value | NDArray[np.generic]
Lower = Callable[[Node], Sequence[Result]]
"""Returns a value per result, or the elements of a result that is known during the import."""
Reference = Callable[..., Any]
"""Takes the node, and an array per operand or None where it is absent; returns the results."""


class OperatorLowering(Struct, frozen=True):
    """The lowering of an operator to ops of MLIR, for `--operators` where a user adds it.

    `lower` takes a `Node` and returns a value per result. `newest_version` is the newest version
    of the operator that it implements. `reference` is the operator in NumPy: it takes the node and
    an array per operand (None for an absent one), and returns an array or a list of arrays. Each
    import compares the two.
    """

    name: str
    lower: Lower
    newest_version: int = 1
    reference: Reference | None = None


class Documentation(Struct, frozen=True):
    """A row of the table in `docs/operators.md`, about operators of one form."""

    operators: tuple[str, ...]
    types: str
    limits: str
    becomes: str
    exact: str
    golden: str
    since: str


_found: dict[str, OperatorLowering] = {}
_documented: list[Documentation] = []


def document(
    *operators: str,
    types: str,
    becomes: str,
    exact: str,
    limits: str = "",
    golden: str = "TFLite Micro",
    since: str = "0.1",
) -> None:
    """Describe operators for `docs/operators.md`.

    `types` are the element types, `limits` what is refused, `becomes` the TOSA ops, and `exact` the
    types whose results equal the golden ones bit for bit. `golden` says whose results these are,
    `since` is the first version of Forebay with the operators. The text is Markdown.
    """
    _documented.append(Documentation(operators, types, limits, becomes, exact, golden, since))


def operator(name: str, *, newest_version: int) -> Callable[[Lower], Lower]:
    """Register the decorated function as the lowering of the operator `name`."""

    def register(lower: Lower) -> Lower:
        _found[name] = OperatorLowering(name, lower, newest_version)
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
