"""The base class of all passes: a frozen dataclass whose fields are the options."""

from collections.abc import Callable, Sequence
from dataclasses import MISSING, Field, field, fields
from typing import Any, ClassVar, NamedTuple, TypeVar, get_type_hints

from mlir import ir

from forebay._libs import _forebay
from forebay.errors import BugError, Error
from forebay.ir.refused import RefusedError
from forebay.passes._declaration import PassDeclaration, PassOption
from forebay.support.files import printable
from forebay.support.option_kinds import OptionError, kind_of
from forebay.support.records import record
from forebay.support.user_code import bug_summary, error_summary, location_of

_T = TypeVar("_T")


class PassError(RefusedError):
    """A pass refuses its input.

    It has the location, the reason, the way out, and notes at the other ops involved.
    """


def option(default: _T, help: str, *, least: int | None = None) -> _T:
    """Declare a pass option: a dataclass field with a default and the text that `--help` shows.

    The types are those of `forebay.support.option_kinds`. An `int` is `least` or more. A list has
    the default `()`.
    """
    made: Any = field(default=default, metadata={"help": help, "least": least})
    return made


@record
class Pass:
    """Base of all passes.

    A pass lives in a file of its own, named as the pass: `memref_pool_plan.py` holds the pass
    `memref-pool-plan`. Its docstring is its documentation in `forebay-opt --help`. Its dataclass
    fields, made by `option`, are its options, spelled with dashes in pipelines; without options it
    need not be decorated. A pipeline with a wrong value is refused before any pass runs. A pass
    must not keep an `ir` object after `run` returns.
    """

    name: ClassVar[str]
    anchor: ClassVar[str] = "builtin.module"
    """Name of the operation that the pass runs on; an empty string means any."""
    dialects: ClassVar[tuple[str, ...]] = ()
    """Dialects whose operations the pass creates."""
    needs: ClassVar[tuple[str, ...]] = ()
    """Names of ops: without any of them the pass has nothing to do. It then need not be loaded."""

    def run(self, op: ir.Operation) -> None:
        """Transform `op` in place.

        Raise `PassError`, or any other `RefusedError`, to refuse it.
        """
        raise NotImplementedError


_Load = Callable[[], type[Pass]]

_registered: dict[str, tuple[tuple[PassOption, ...], tuple[str, ...], _Load]] = {}
"""Options, needed ops and class of each name in MLIR's registry, which cannot remove a name."""


def register_pass(pass_class: type[Pass]) -> None:
    """Register a pass with MLIR, for textual pipelines and `forebay-opt`.

    A class registered under a known name replaces the earlier class. It must have the options of
    the first registration, else `register_pass` raises `TypeError`.
    """
    declaration = PassDeclaration(
        pass_class.__name__,
        pass_class.name,
        " ".join((pass_class.__doc__ or "").split()),
        pass_class.anchor,
        pass_class.dialects,
        options_of(pass_class),
        pass_class.needs,
    )
    register_declared(declaration, lambda: pass_class)


def register_declared(declaration: PassDeclaration, load: _Load) -> None:
    """Register a pass with MLIR by its declaration; `load` returns its class when the pass runs."""
    name = declaration.name
    options = tuple(item.registered for item in declaration.options)
    known = _registered.get(name)
    if known is not None and tuple(item.registered for item in known[0]) != options:
        raise TypeError(f"a pass '{name}' with other options has been registered")
    _registered[name] = declaration.options, declaration.needs, load
    if known is not None:
        return

    def run(op: ir.Operation, values: Sequence[Sequence[str]]) -> bool:
        _, needs, load = _registered[name]
        if needs and not _forebay.ops_nested_in(op, set(needs)):
            return True
        return _run_reporting(load(), op, values)

    def check(values: Sequence[Sequence[str]]) -> str:
        options, _, _ = _registered[name]
        return _fault(name, options, values)

    _forebay.register_pass(
        name,
        declaration.description,
        declaration.anchor,
        options,
        declaration.dialects,
        run,
        check,
    )


def options_of(pass_class: type[Pass]) -> tuple[PassOption, ...]:
    """Return the options of a pass; raise `TypeError` for a field that cannot be one."""
    undecorated = [name for name, value in vars(pass_class).items() if isinstance(value, Field)]
    if undecorated:
        raise TypeError(
            f"{pass_class.__name__} has the option '{undecorated[0]}' and is no dataclass; put "
            "@dataclass(frozen=True) before the class"
        )
    hints = get_type_hints(pass_class)
    return tuple(_option_of(item, hints[item.name]) for item in fields(pass_class))


def _option_of(item: Field[Any], hint: object) -> PassOption:
    if item.default is MISSING or "help" not in item.metadata:
        raise TypeError(
            f"the field '{item.name}' is no option; write {item.name}: TYPE = option(DEFAULT, "
            "HELP), by forebay.api.passes.option"
        )
    kind = kind_of(hint, item.metadata["least"])
    return PassOption(item.name.replace("_", "-"), kind, item.metadata["help"], item.default)


def checked_options(given: Pass) -> dict[str, object]:
    """Return the options of a pass that are not the default, by their names in pipelines.

    Raises `OptionError` for a value that is not allowed.
    """
    values = {item: getattr(given, item.name.replace("-", "_")) for item in options_of(type(given))}
    for item, value in values.items():
        item.kind.checked(f"option '{item.name}' of pass '{given.name}'", value)
    return {item.name: value for item, value in values.items() if value != item.default}


def _fault(name: str, options: Sequence[PassOption], values: Sequence[Sequence[str]]) -> str:
    """Return what is wrong with the texts of the options, or an empty text."""
    try:
        for item, texts in zip(options, values, strict=True):
            item.kind.checked(f"option '{item.name}' of pass '{name}'", item.kind.read(texts))
    except OptionError as error:
        return str(error)
    return ""


def _run_reporting(
    pass_class: type[Pass], op: ir.Operation, values: Sequence[Sequence[str]]
) -> bool:
    """Run the pass, and turn what it raises into diagnostics; keep the exception."""
    options = options_of(pass_class) if values else ()  # finding out the types takes long
    arguments = {
        item.name.replace("-", "_"): item.kind.read(texts)
        for item, texts in zip(options, values, strict=True)
    }
    with op.context, op.location:
        try:
            pass_class(**arguments).run(op)
        except BaseException as error:
            _raised[id(op.context)] = RaisedByPass(pass_class.name, error)
            _report(pass_class.name, op.location, error)
            return False
    return True


class RaisedByPass(NamedTuple):
    """An exception that has ended a pass."""

    pass_name: str
    error: BaseException

    @property
    def is_bug(self) -> bool:
        """Return whether no input should cause it: no refusal, interrupt, or code of the user."""
        return isinstance(self.error, BugError) or (
            isinstance(self.error, Exception)
            and not isinstance(self.error, Error | ir.MLIRError)  # pyright: ignore[reportAttributeAccessIssue]
            and location_of(self.error) is None
        )

    @property
    def what(self) -> str:
        """The pass, the exception and its line, for the report of a bug."""
        if isinstance(self.error, BugError):
            return str(self.error)
        return f"pass '{self.pass_name}' failed: {bug_summary(self.error)}"


_raised: dict[int, RaisedByPass] = {}
"""Exceptions of passes, by the id of the context they ran in."""


def take_raised(context: ir.Context) -> RaisedByPass | None:
    """Remove and return the exception that has ended a pass in this context since the last call."""
    return _raised.pop(id(context), None)


def take_all_raised() -> list[RaisedByPass]:
    """Remove and return the exceptions that have ended passes, of all contexts."""
    found = list(_raised.values())
    _raised.clear()
    return found


def _report(name: str, location: ir.Location, error: BaseException) -> None:
    """Turn an exception into a diagnostic at its location, the user's line or the pass's op."""
    place = location_of(error)
    if isinstance(error, RefusedError):
        error.__traceback__ = None  # its frames hold ops, which later passes may erase
        _forebay.emit_error(error.location, str(error), error.notes)
    elif isinstance(error, ir.MLIRError):  # pyright: ignore[reportAttributeAccessIssue]
        diagnostics: Any = getattr(error, "error_diagnostics")  # noqa: B009  (absent in stubs)
        for found in diagnostics:
            notes = [(note.location, note.message) for note in found.notes]
            _forebay.emit_error(found.location, f"in pass '{name}': {found.message}", notes)
    elif place is not None:
        what = f"pass '{name}' failed: {error_summary(error)}"
        _forebay.emit_error(ir.Location.file(printable(place.file), place.line, 1), what, [])
    elif isinstance(error, Error) and not isinstance(error, BugError):
        _forebay.emit_error(location, f"in pass '{name}': {error}", [])
    else:
        what = RaisedByPass(name, error).what
        _forebay.emit_error(location, f"this is a bug of Forebay: {what}", [])
