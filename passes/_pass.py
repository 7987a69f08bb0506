"""The base class of all passes: a frozen dataclass whose fields are the options."""

from collections.abc import Callable
from dataclasses import MISSING, dataclass, field, fields
from typing import Any, ClassVar, get_type_hints

from mlir import ir

from forebay._libs import _forebay
from forebay.ir.refused import RefusedError
from forebay.passes._declaration import Declaration, Option, option_text
from forebay.support.files import printable
from forebay.support.user_code import location_of, summary

_KINDS: dict[object, str] = {bool: "bool", int: "int", str: "str", tuple[str, ...]: "list"}


class PassError(RefusedError):
    """A pass refuses its input.

    It has the location, the reason, the way out, and notes at the other ops involved.
    """


def option(default: bool | int | str | tuple[str, ...], help: str) -> Any:
    """Declare a pass option: a dataclass field with a default and the text that `--help` shows."""
    return field(default=default, metadata={"help": help})


@dataclass(frozen=True)
class Pass:
    """Base of all passes.

    A pass lives in a file of its own, named as the pass: `memref_pool_plan.py` holds the pass
    `memref-pool-plan`. Its docstring is its documentation in `forebay-opt --help`. Its dataclass
    fields, made by `option`, are its options (`bool`, `int`, `str`, `tuple[str, ...]`), spelled
    with dashes in pipelines. A pass must not keep an `ir` object after `run` returns.
    """

    name: ClassVar[str]
    anchor: ClassVar[str] = "builtin.module"
    """Name of the operation that the pass runs on; an empty string means any."""
    dialects: ClassVar[tuple[str, ...]] = ()
    """Dialects whose operations the pass creates."""

    def run(self, op: ir.Operation) -> None:
        """Transform `op` in place.

        Raise `PassError`, or any other `RefusedError`, to refuse it.
        """
        raise NotImplementedError


Load = Callable[[], type[Pass]]

_registered: dict[str, tuple[tuple[Option, ...], Load]] = {}
"""Options and class of each name in MLIR's registry, which cannot remove a name."""


def register(pass_class: type[Pass]) -> None:
    """Register a pass with MLIR, for textual pipelines and `forebay-opt`.

    A class registered under a known name replaces the earlier class. It must have the options of
    the first registration, else `register` raises `TypeError`.
    """
    declaration = Declaration(
        pass_class.__name__,
        pass_class.name,
        " ".join((pass_class.__doc__ or "").split()),
        pass_class.anchor,
        pass_class.dialects,
        options_of(pass_class),
    )
    register_declared(declaration, lambda: pass_class)


def register_declared(declaration: Declaration, load: Load) -> None:
    """Register a pass with MLIR by its declaration; `load` returns its class when the pass runs."""
    name = declaration.name
    known = _registered.get(name)
    if known is not None and known[0] != declaration.options:
        raise TypeError(f"a pass '{name}' with other options has been registered")
    _registered[name] = declaration.options, load
    if known is not None:
        return

    def run(op: ir.Operation, values: list[list[str]]) -> bool:
        _, load = _registered[name]
        return _run_reporting(load(), op, values)

    _forebay.register_pass(
        name,
        declaration.description,
        declaration.anchor,
        declaration.options,
        declaration.dialects,
        run,
    )


def options_of(pass_class: type[Pass]) -> tuple[Option, ...]:
    """Return name, kind, help text and default of each option of a pass."""
    hints = get_type_hints(pass_class)
    return tuple(
        (
            item.name.replace("_", "-"),
            _KINDS[hints[item.name]],
            str(item.metadata["help"]),
            _default_text(item.default),
        )
        for item in fields(pass_class)
    )


def _default_text(default: Any) -> str:
    if default is MISSING:
        raise TypeError("every option of a pass needs a default")
    return option_text(default)


def _parse(kind: object, values: list[str]) -> object:
    if kind is bool:
        return values[0] in ("1", "true")
    if kind is int:
        return int(values[0])
    return values[0] if kind is str else tuple(values)


def _run_reporting(pass_class: type[Pass], op: ir.Operation, values: list[list[str]]) -> bool:
    """Run the pass, and turn what it raises into diagnostics; keep an unexpected exception."""
    hints = get_type_hints(pass_class)
    arguments = {
        item.name: _parse(hints[item.name], value)
        for item, value in zip(fields(pass_class), values, strict=True)
    }
    with op.context, op.location:
        try:
            pass_class(**arguments).run(op)
        except RefusedError as error:
            _forebay.emit_error(error.location, str(error), error.notes)
            return False
        except ir.MLIRError as error:  # pyright: ignore[reportAttributeAccessIssue]
            for diagnostic in error.error_diagnostics:
                _forebay.emit_error(
                    diagnostic.location, f"in pass '{pass_class.name}': {diagnostic.message}", []
                )
            return False
        except BaseException as error:
            _raised[id(op.context)] = error
            _emit_unexpected(pass_class.name, op.location, error)
            return False
    return True


_raised: dict[int, BaseException] = {}
"""Unexpected exceptions of passes (no refusals), by the id of the context they ran in."""


def take_raised(context: ir.Context) -> BaseException | None:
    """Remove and return the exception that has ended a pass in this context since the last call."""
    return _raised.pop(id(context), None)


def _emit_unexpected(name: str, location: ir.Location, error: BaseException) -> None:
    """Report at the line of the user's code that failed; without such a line, report a bug."""
    place, what = location_of(error), f"pass '{name}' failed: {summary(error)}"
    if place is not None:
        _forebay.emit_error(ir.Location.file(printable(place.file), place.line, 1), what, [])
    else:
        _forebay.emit_error(location, f"this is a bug of Forebay: {what}", [])
