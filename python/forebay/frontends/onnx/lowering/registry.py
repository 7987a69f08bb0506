"""The registry of ONNX operators' lowerings: one function each, in the folder `operators`."""

from __future__ import annotations

import functools
import importlib
import pkgutil
from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from forebay.frontends.onnx.lowering.layout import LaidOut
from forebay.frontends.onnx.lowering.node import OnnxNode
from forebay.frontends.registration import OperatorModules

LowerNode = Callable[[OnnxNode], Sequence[LaidOut | NDArray[np.generic] | None]]
"""Returns a value per result, or the elements of a result that is known during the import.

A result that nobody reads may be None.
"""


class OnnxDocumentation(Struct, frozen=True):
    """A row of the table in the documentation, about operators of one form."""

    operators: tuple[str, ...]
    types: str
    limits: str
    golden: str


_found: dict[str, LowerNode] = {}
_modules = OperatorModules()
_documented: list[OnnxDocumentation] = []


def document_onnx(*operators: str, types: str, golden: str, limits: str = "") -> None:
    """Describe operators: element types, what is refused, and what the results equal."""
    _documented.append(OnnxDocumentation(operators, types, limits, golden))


def onnx_operator(*names: str) -> Callable[[LowerNode], LowerNode]:
    """Register the decorated function as the lowering of operators.

    Raises `RegistrationError` if another module registers one of them.
    """

    def register(lower: LowerNode) -> LowerNode:
        for name in names:
            _modules.add(name, lower.__module__)
            _found[name] = lower
        return lower

    return register


@functools.cache
def onnx_lowerings() -> Mapping[str, LowerNode]:
    """Return all lowerings by operator name, after importing every module of the folder."""
    package = importlib.import_module("forebay.frontends.onnx.operators")
    prefix = f"{package.__name__}."
    for module in sorted(pkgutil.walk_packages(package.__path__, prefix), key=lambda m: m.name):
        importlib.import_module(module.name)
    return MappingProxyType(dict(sorted(_found.items())))


def onnx_documented() -> tuple[OnnxDocumentation, ...]:
    """Return the descriptions of all operators, sorted by their first names."""
    onnx_lowerings()
    return tuple(sorted(_documented, key=lambda row: row.operators))
