"""Loading of the user's passes: classes in a Python file or in an installed package.

::

    @dataclass(frozen=True)
    class PlaceSmallBuffersFirst(forebay.api.passes.Pass):
        '''Say what it does; `forebay-opt --help` shows it.'''

        name = "place-small-buffers-first"

        def run(self, op): ...
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

from mlir import ir
from mlir.passmanager import PassManager

from forebay.errors import Error
from forebay.options.choices import PHASES, Phase, phase_and_pass
from forebay.passes import Pass, pass_names, register_pass
from forebay.passes._pass import checked_options
from forebay.support.option_text import with_options
from forebay.support.user_code import error_summary, location_of
from forebay.support.user_file import run_user_file

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

PassLike = str | Path | type[Pass] | Pass | Callable[[ir.Operation], object]
Passes = Iterable[str] | Mapping[str, PassLike | Sequence[PassLike]]

_GROUP = "forebay.passes"
"""The entry point group in which an installed package registers passes."""


class UserPassError(Error):
    """A user's pass cannot be loaded, or a phase does not exist."""


def passes_by_phase(requests: Passes) -> Mapping[Phase, tuple[str, ...]]:
    """Return pipeline texts by phase, from requests `PHASE=PASS` or a mapping of phases to passes.

    `PASS` is one of three things: a Python file, all of whose passes then run in file order; the
    name of an entry point; or any text that a pipeline on modules accepts: `canonicalize`,
    `my-pass{limit=3}`. In a mapping it may also be a class derived from `Pass`, an object of such a
    class with its options, or a function that takes the module's operation. Loads and registers
    Python passes.

    Raises `UserPassError` for an unknown phase and for a pass that does not exist or cannot be
    loaded, `OptionError` for a text of another form.
    """
    found: dict[Phase, tuple[str, ...]] = {}
    for phase, what in _by_phase(requests):
        known: Phase | None = next((name for name in PHASES if name == phase), None)
        if known is None:
            raise UserPassError(f"'{phase}' is no phase; phases are {', '.join(PHASES)}")
        found[known] = (*found.get(known, ()), *_load(what))
    return found


def _by_phase(requests: Passes) -> Iterator[tuple[str, PassLike]]:
    if isinstance(requests, Mapping):
        for phase, given in requests.items():
            if isinstance(given, Sequence) and not isinstance(given, str):
                yield from ((phase, what) for what in given)
            else:
                yield phase, given
        return
    entries: Iterable[Any] = (requests,) if isinstance(requests, str) else requests
    for request in entries:
        yield phase_and_pass(request)


def _load(what: PassLike) -> tuple[str, ...]:
    """Return the pipeline texts of a file, an entry point, a class, an object or a function.

    Any other text is a pipeline, and is returned unchanged.
    """
    if isinstance(what, Path):
        return load_file(what)
    if not isinstance(what, str):
        return (_text_of(what),)
    if what.endswith(".py"):
        return load_file(Path(what))
    from importlib.metadata import entry_points  # noqa: PLC0415  (15 ms)

    for entry in sorted(entry_points(group=_GROUP), key=lambda entry: entry.name):
        if entry.name == what:
            return _load_entry(entry)
    _require_pipeline(what)
    return (what,)


def _require_pipeline(text: str) -> None:
    """Raise `UserPassError` for a text that a pipeline on modules does not accept."""
    with ir.Context():
        try:
            PassManager.parse(f"builtin.module({text})")
        except ValueError as error:
            raise UserPassError(
                f"{text!r} is no Python file, no entry point and no pipeline: {str(error).strip()}"
            ) from error


def load_file(path: Path) -> tuple[str, ...]:
    """Register the passes in a Python file, and return their names in file order."""
    module = run_user_file(path, UserPassError)
    found = [
        value
        for value in vars(module).values()
        if isinstance(value, type)
        and issubclass(value, Pass)
        and value.__module__ == module.__name__
    ]
    if not found:
        raise UserPassError(f"{path} holds no pass: no class derived from forebay.api.passes.Pass")
    return tuple(_register(pass_class, str(path)) for pass_class in found)


def _load_entry(entry: EntryPoint) -> tuple[str, ...]:
    try:
        found = entry.load()
    except Exception as error:
        where = location_of(error) or f"entry point '{entry.name}'"
        raise UserPassError(f"{where}: {error_summary(error)}") from error
    if not (isinstance(found, type) and issubclass(found, Pass)):
        raise UserPassError(f"entry point '{entry.name}' is no class derived from Pass")
    return (_register(found, f"entry point '{entry.name}'"),)


def _text_of(given: type[Pass] | Pass | Callable[[ir.Operation], object]) -> str:
    """Register a pass that a program gives, and return its pipeline text."""
    if isinstance(given, Pass):
        name = _register(type(given), f"pass {type(given).__name__}")
        return with_options(name, checked_options(given))
    if isinstance(given, type) and issubclass(given, Pass):
        return _register(given, f"pass {given.__name__}")
    if isinstance(given, type) or not callable(given):
        raise UserPassError(
            f"{given!r} is no pass: give a file, a text, a class derived from "
            "forebay.api.passes.Pass, an object of one or a function that takes the module's "
            "operation"
        )
    return _register(_class_of(given), f"function {_name_of(given)}")


_functions: dict[int, tuple[object, type[Pass]]] = {}
"""Passes made from functions, by the function's id; kept as long as MLIR's registry."""


def _class_of(function: Callable[[ir.Operation], object]) -> type[Pass]:
    """Return a pass that calls the function; the same pass for the same function."""
    if id(function) not in _functions:

        @dataclass(frozen=True)
        class CallFunction(Pass):
            """Call a function of the user."""

            name: ClassVar[str] = f"call-{_name_of(function)}-{len(_functions) + 1}"

            def run(self, op: ir.Operation) -> None:
                function(op)

        _functions[id(function)] = function, CallFunction
    return _functions[id(function)][1]


def _name_of(function: object) -> str:
    name = getattr(function, "__name__", type(function).__name__)
    return re.sub(r"[^A-Za-z0-9]+", "-", name).strip("-") or "function"


def _register(pass_class: type[Pass], where: str) -> str:
    name = getattr(pass_class, "name", None)
    if not isinstance(name, str) or not name:
        raise UserPassError(f"{where}: pass {pass_class.__name__} has no name")
    if name in pass_names():
        raise UserPassError(f"{where}: '{name}' is the name of a pass that ships with Forebay")
    try:
        register_pass(pass_class)
    except TypeError as error:
        raise UserPassError(f"{where}: options of pass '{name}': {error}") from error
    return name
