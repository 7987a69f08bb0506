"""Readers for the location contract: which operator of the model an op came from.

An imported op has the location

    loc("<output tensor>"("<TFLITE_OP>"("<file>":<operator index>:0)))
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import PurePath

from mlir.ir import Location, OpView
from msgspec import Struct

UNKNOWN_LOCATION = "unknown location"
"""The result of `describe_location` for a location without a file or name."""

_LONGEST = 40
"""The maximum number of characters of a tensor's name in messages."""


class OperatorLocation(Struct, frozen=True):
    """An operator of the imported model."""

    index: int
    kind: str
    tensor: str
    file: str

    def __str__(self) -> str:
        return f"{self.index} {self.kind} {self.tensor}"


class ModelLocation(Struct, frozen=True, order=True):
    """A position in a model's file; of an imported operator: its index, and column 0."""

    file: str
    line: int
    column: int


def operator_of(location: Location) -> OperatorLocation | None:
    """Return the first operator that the location names, or None for IR that was not imported."""
    return _read(location) or next(_operators(location), None)


def operators_of(ops: Iterable[OpView]) -> list[OperatorLocation]:
    """Return the first operator that the location of each op names, each once, in order."""
    found = (operator_of(op.location) for op in ops)
    return list(dict.fromkeys(operator for operator in found if operator is not None))


def model_location_of(location: Location) -> ModelLocation | None:
    """Return the last position in the model that the location names.

    For fused ops this is the end of the fused sequence. A file location without a line names the
    module's file and is not the position of an operator.
    """
    operators = (
        ModelLocation(operator.file, operator.index, 0) for operator in _operators(location)
    )
    files = (part for part in _walk(location) if part.is_a_file() and part.start_line > 0)
    places = (ModelLocation(p.filename, p.start_line, p.start_col) for p in files)
    return max((*operators, *places), default=None)


def name_hint(location: Location) -> str | None:
    """Return a name that a pass gave to the value itself, outside the operator's own location."""
    if not location.is_a_name() or _read(location) is not None:
        return None
    return location.name_str


def describe_location(location: Location) -> str:
    """Return `net.tflite: CONV_2D #3 (conv1)` or, for other IR, `file.mlir:12:8`."""
    operator = operator_of(location)
    if operator is not None:
        return f"{PurePath(operator.file).name}: {operator_name(location)}"
    for part in _walk(location):
        if part.is_a_file():
            return f"{part.filename}:{part.start_line}:{part.start_col}"
    return UNKNOWN_LOCATION


def operator_name(location: Location) -> str:
    """Return `CONV_2D #3 (conv1)`, without a tensor of a name `CONV_2D #3`, or `file.mlir:12:8`."""
    operator = operator_of(location)
    if operator is None:
        return describe_location(location)
    tensor = f" ({shortened(operator.tensor)})" if operator.tensor else ""
    return f"{operator.kind} #{operator.index}{tensor}"


def shortened(name: str) -> str:
    """Return a tensor's name up to the first `;`, cut to `_LONGEST` characters.

    Converters join the names of all tensors that they fused with `;`.
    """
    first = name.split(";", maxsplit=1)[0]
    return first if len(first) <= _LONGEST else f"{first[: _LONGEST - 3]}..."


def _operators(location: Location) -> Iterator[OperatorLocation]:
    for part in _walk(location):
        operator = _read(part)
        if operator is not None:
            yield operator


def _read(location: Location) -> OperatorLocation | None:
    if not location.is_a_name():
        return None
    kind = location.child_loc
    if not kind.is_a_name():
        return None
    place = kind.child_loc
    if not place.is_a_file():
        return None
    return OperatorLocation(place.start_line, kind.name_str, location.name_str, place.filename)


def _walk(location: Location) -> Iterator[Location]:
    """Yield the location and all locations inside it: outer before inner, in order."""
    yield location
    if location.is_a_name():
        yield from _walk(location.child_loc)
    elif location.is_a_fused():
        for part in location.locations:
            yield from _walk(part)
    elif location.is_a_callsite():
        yield from _walk(location.callee)
        yield from _walk(location.caller)
