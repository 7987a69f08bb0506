"""Find the operators of users, in Python files or given as objects."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import Any

from forebay.errors import Error
from forebay.frontends.tflite.lowering.registry import OperatorLowering, lowerings
from forebay.support.user_file import run_user_file

Operators = str | Path | OperatorLowering | Sequence[str | Path | OperatorLowering]


class UserOperatorError(Error):
    """An operator of the user cannot be loaded."""


def load_operators(given: Operators) -> tuple[OperatorLowering, ...]:
    """Return the operators in Python files, in file order, and those given as objects.

    Raises `UserOperatorError` for a file without operators, for two operators of one name, and for
    the name of an operator that Forebay imports itself.
    """
    entries = [given] if isinstance(given, str | Path | OperatorLowering) else given
    found: dict[str, OperatorLowering] = {}
    for entry in entries:
        where = f"{entry}" if isinstance(entry, str | Path) else "operators"
        for operator in _of(entry):
            if operator.name in lowerings():
                raise UserOperatorError(
                    f"{where}: '{operator.name}' is an operator that Forebay imports itself"
                )
            if found.setdefault(operator.name, operator) is not operator:
                raise UserOperatorError(f"{where}: there are two operators '{operator.name}'")
    return tuple(found.values())


def with_operators(operators: Iterable[OperatorLowering]) -> Mapping[str, OperatorLowering]:
    """Return all lowerings by name: those of Forebay and those of the user."""
    added = list(operators)
    if not added:
        return lowerings()
    from forebay.frontends.tflite.custom.checked import checked  # noqa: PLC0415  (seldom used)

    own = {operator.name: checked(operator) for operator in added}
    return MappingProxyType({**lowerings(), **own})


def _of(entry: object) -> list[OperatorLowering]:
    if isinstance(entry, OperatorLowering):
        return [entry]
    if not isinstance(entry, str | Path):
        raise UserOperatorError(
            f"{entry!r} is no operator: give a Python file or a forebay.api.tflite.OperatorLowering"
        )
    module = run_user_file(Path(entry), UserOperatorError)
    found = {
        id(value): value for value in vars(module).values() if isinstance(value, OperatorLowering)
    }
    if not found:
        raise UserOperatorError(
            f"{entry} holds no operator: no forebay.api.tflite.OperatorLowering(name, lower)"
        )
    for operator in found.values():
        name: Any = operator.name  # of a file that no type checker has seen
        if not callable(operator.lower) or not isinstance(name, str):
            raise UserOperatorError(
                f"{entry}: an operator is OperatorLowering(name, lower) with a text and a "
                f"function, not {name!r} and {operator.lower!r}"
            )
    return list(found.values())
