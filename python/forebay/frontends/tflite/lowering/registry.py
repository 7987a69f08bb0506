"""The registry of TFLite operators' lowerings: one function each, in the folder `operators`."""

from __future__ import annotations

import functools
import importlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import Any

import numpy as np
from mlir import ir
from msgspec import Struct
from numpy.typing import NDArray

from forebay.frontends.registration import OperatorModules
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
_modules = OperatorModules()
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
    """Register the decorated function as the lowering of the operator `name`.

    Raises `RegistrationError` if another module registers the same operator.
    """

    def register(lower: Lower) -> Lower:
        _modules.add(name, lower.__module__)
        _found[name] = OperatorLowering(name, lower, newest_version)
        return lower

    return register


class Lowerings(Mapping[str, OperatorLowering]):
    """All lowerings by operator name, in the order of the names.

    A network has few kinds of operators, and half of the time of its import would be the import of
    the other modules. So a name is looked up in those modules only whose text has it in quotes.
    """

    def __getitem__(self, name: str) -> OperatorLowering:
        """Return the lowering of an operator; raise `KeyError` for an unknown name."""
        if name not in _found:
            quoted = f'"{name}"'
            _import(module for module, text in _texts().items() if quoted in text)
        return _found[name]

    def __iter__(self) -> Iterator[str]:
        """Yield all names, sorted, after importing every module of the folder."""
        self.load_all()
        return iter(sorted(_found))

    def __len__(self) -> int:
        """Return the number of operators, after importing every module of the folder."""
        self.load_all()
        return len(_found)

    def load_all(self) -> None:
        """Import every module of the folder."""
        _import(_texts())


@functools.cache
def lowerings() -> Lowerings:
    """Return the lowerings of the operators that Forebay imports itself."""
    return Lowerings()


def _import(modules: Iterable[str]) -> None:
    for module in modules:
        importlib.import_module(module)


@functools.cache
def _texts() -> Mapping[str, str]:
    """Return the texts of the modules of the folder, by module name, sorted."""
    package = importlib.import_module("forebay.frontends.tflite.operators")
    folder = Path(package.__path__[0])
    found: dict[str, str] = {}
    for path in sorted(folder.rglob("*.py")):
        if path.stem != "__init__":
            parts = path.relative_to(folder).with_suffix("").parts
            found[".".join([package.__name__, *parts])] = path.read_text(encoding="utf-8")
    return MappingProxyType(found)


def documented() -> tuple[Documentation, ...]:
    """Return the descriptions of all operators, sorted by their first names."""
    lowerings().load_all()
    return tuple(sorted(_documented, key=lambda row: row.operators))
