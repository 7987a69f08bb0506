"""The registry of TFLite operators' lowerings: one function each, in the folder `operators`."""

from __future__ import annotations

import functools
import importlib
import pkgutil
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType

from mlir import ir

from forebay.frontends.tflite.lowering.node import Node

Lower = Callable[[Node], Sequence[ir.Value]]


@dataclass(frozen=True)
class Lowering:
    """The lowering of one operator, and the newest version of the operator that it implements."""

    name: str
    newest_version: int
    lower: Lower


_found: dict[str, Lowering] = {}


def operator(name: str, *, newest_version: int) -> Callable[[Lower], Lower]:
    """Register the decorated function as the lowering of the operator `name`."""

    def register(lower: Lower) -> Lower:
        _found[name] = Lowering(name, newest_version, lower)
        return lower

    return register


@functools.cache
def lowerings() -> Mapping[str, Lowering]:
    """Return all lowerings by operator name, after importing every module of the folder."""
    package = importlib.import_module("forebay.frontends.tflite.operators")
    for module in sorted(pkgutil.iter_modules(package.__path__), key=lambda m: m.name):
        importlib.import_module(f"{package.__name__}.{module.name}")
    return MappingProxyType(dict(sorted(_found.items())))
