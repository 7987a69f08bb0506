"""Classes of options: frozen dataclasses whose fields say how the command spells them.

::

    @option_class
    class Options:
        slots: int = option_field(default=2, least=1, help="buffers for each tile")

The constructor takes keywords only, and converts and checks each value. A type checker sees the
types that the constructor takes: those of the converters' parameters.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import Field, field, fields
from functools import cache, wraps
from typing import (
    TYPE_CHECKING,
    Any,
    Concatenate,
    ParamSpec,
    TypeVar,
    get_type_hints,
    overload,
)

from msgspec import Struct

from forebay.support.option_kinds import Choice, OptionKind, Switch, kind_of
from forebay.support.records import keyword_record

_T = TypeVar("_T")
S = TypeVar("S")
_P = ParamSpec("_P")
_Self = TypeVar("_Self")
_First = TypeVar("_First")
_Result = TypeVar("_Result")

if TYPE_CHECKING:
    from typing_extensions import dataclass_transform
else:

    def dataclass_transform(**_: object) -> Callable[[_T], _T]:
        """Do nothing; only type checkers need the decorator."""
        return lambda function: function


class Flag(Struct, frozen=True):
    """The spelling of an option in the command; without one, `--` and the name of the field.

    * `split` separates several values in one argument; an option that is `repeatable` takes one
      value each time.
    * `parse` converts one text, and raises `OptionError` for an invalid one.
    * `needs_model` is for options that say nothing to a pipeline without a model.
    """

    name: str | None = None
    metavar: str | None = None
    split: str | None = None
    repeatable: bool = False
    parse: Callable[[str], object] | None = None
    needs_model: bool = False


_DEFAULT = Flag()


class Option(Struct, frozen=True):
    """One field of a class of options."""

    name: str
    help: str
    default: Any
    flag: Flag | None
    kind: OptionKind | None
    converter: Callable[[Any], Any] | None

    def converted(self, value: object) -> object:
        """Return the value in the type of the field; raise `OptionError` for an invalid one."""
        if self.converter is not None:
            return self.converter(value)
        assert self.kind is not None
        return self.kind.checked(self.name, value)

    @property
    def choices(self) -> tuple[str, ...] | None:
        """The allowed texts, or None if they cannot be listed."""
        return self.kind.choices if isinstance(self.kind, Choice) else None

    @property
    def is_switch(self) -> bool:
        """Return whether the option is true or false."""
        return isinstance(self.kind, Switch)


@overload
def option_field(
    *, default: _T, help: str, flag: Flag | None = ..., least: int | None = None
) -> _T: ...
@overload
def option_field(
    *, default: S, help: str, converter: Callable[[S], _T], flag: Flag | None = ...
) -> _T: ...
def option_field(
    *,
    default: object,
    help: str,
    converter: Callable[[Any], Any] | None = None,
    flag: Flag | None = _DEFAULT,
    least: int | None = None,
) -> Any:
    """Declare an option.

    `converter` returns the field's value for what a caller gives, and raises `OptionError` for an
    invalid value. Without one, the value must have the field's type, and be `least` or more.
    `flag=None` means that the command has no such option.
    """
    data = {"help": help, "converter": converter, "flag": flag, "least": least}
    return field(default=default, metadata=data)


@dataclass_transform(frozen_default=True, kw_only_default=True, field_specifiers=(option_field,))
def option_class(made: type[_T]) -> type[_T]:
    """Make a class of options from a class with fields made by `option_field`."""

    def convert(self: _T) -> None:
        for item in options_in(type(self)):
            object.__setattr__(self, item.name, item.converted(getattr(self, item.name)))

    made.__post_init__ = convert  # pyright: ignore[reportAttributeAccessIssue]
    return keyword_record(made)


@cache
def options_in(made: type) -> tuple[Option, ...]:
    """Return the options of a class, in order."""
    hints = get_type_hints(made)
    return tuple(_option_of(item, hints[item.name]) for item in fields(made))


def _option_of(item: Field[Any], hint: object) -> Option:
    data = item.metadata
    return Option(
        item.name,
        data["help"],
        item.default,
        data["flag"],
        None if data["converter"] else kind_of(hint, data["least"]),
        data["converter"],
    )


def signature_of(made: type, *before: inspect.Parameter) -> inspect.Signature:
    """Return the signature of a function that takes the options of a class after `before`."""
    annotations = {item.name: item.type for item in fields(made)}
    for item in options_in(made):
        if item.converter is not None:
            (taken, *_) = inspect.signature(item.converter).parameters.values()
            annotations[item.name] = taken.annotation
    keywords = [
        inspect.Parameter(
            item.name,
            inspect.Parameter.KEYWORD_ONLY,
            default=item.default,
            annotation=annotations[item.name],
        )
        for item in options_in(made)
    ]
    return inspect.Signature([*before, *keywords])


def with_keywords(
    made: Callable[_P, _T],
) -> Callable[
    [Callable[[_Self, _First, _T], _Result]], Callable[Concatenate[_Self, _First, _P], _Result]
]:
    """Return a decorator: a method that takes an object of the class takes its fields instead."""

    def decorated(
        method: Callable[[_Self, _First, _T], _Result],
    ) -> Callable[Concatenate[_Self, _First, _P], _Result]:
        @wraps(method)
        def call(self: _Self, first: _First, /, *args: _P.args, **kwargs: _P.kwargs) -> _Result:
            return method(self, first, made(*args, **kwargs))

        assert isinstance(made, type)
        before = list(inspect.signature(method).parameters.values())[:-1]
        vars(call)["__signature__"] = signature_of(made, *before)
        call.__doc__ = f"{method.__doc__}\n\n{documentation_of(made)}"
        return call

    return decorated


def documentation_of(made: type) -> str:
    """Return a list of the options with their texts of help."""
    return "\n".join(f"* `{item.name}`: {item.help}." for item in options_in(made))
