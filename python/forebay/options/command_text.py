"""Options as the command spells them, for files that say how they were made."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from forebay.options.option_class import Option, options_in
from forebay.support.given import ObjectName
from forebay.support.sizes import EVERY_POOL

_WITHOUT_EFFECT = ("verify_each", "print_after", "progress")
"""Options that change nothing in what is written."""
_PATHS = ("target", "placement", "planner", "golden")
"""Options whose text may be a path; only the last part is shown, so that folders do not matter."""


def command_text(*given: object) -> str:
    """Return the options that differ from their defaults, in the order of their declarations.

    `given` are objects of classes of options. A target, a planner or a pass that is a Python object
    is shown as `(object)`.
    """
    words = (
        word
        for options in given
        for option in options_in(type(options))
        for word in _of(option, options)
    )
    return " ".join(words)


def _of(option: Option, own: object) -> Iterable[str]:
    value: Any = getattr(own, option.name)
    if option.name in _WITHOUT_EFFECT or value == option.converted(option.default):
        return
    spelling = None if option.flag is None else option.flag.name
    flag = spelling or f"--{option.name.replace('_', '-')}"
    if option.is_switch:
        yield flag
        return
    split = None if option.flag is None else option.flag.split
    texts = _texts(value)
    if option.name in _PATHS:
        texts = [_name(text) for text in texts]
    for text in texts if split is None else [split.join(texts)]:
        yield f"{flag} {text}"


def _texts(value: Any) -> list[str]:
    """Return the text of each value of an option."""
    if isinstance(value, Mapping):
        items: Iterable[tuple[str, Any]] = value.items()
        return [text for key, own in items for text in _of_key(key, own)]
    if isinstance(value, tuple):
        parts: tuple[Any, ...] = value
        return [text for part in parts for text in _of_part(part)]
    return [value if isinstance(value, ObjectName) else str(value)]


def _of_key(key: str, value: tuple[Any, ...]) -> list[str]:
    """Return `INPUT=1x96x96x1`, or `PHASE=PASS` for each pass."""
    if all(isinstance(part, int) for part in value):
        return [f"{key}={'x'.join(map(str, value))}"]
    return [f"{key}={_name(part)}" for part in value]


def _of_part(part: Any) -> list[str]:
    """Return a text, `NAME=CHOICE`, `NAME=POOL+POOL`, or the name of an operator."""
    if isinstance(part, str):
        return [part]
    if isinstance(part, tuple):
        name, choice = part
        text = choice if isinstance(choice, str) else "+".join(choice)
        return [text if name == EVERY_POOL and isinstance(choice, str) else f"{name}={text}"]
    name = getattr(part, "name", None)
    return [name] if isinstance(name, str) else []


def _name(text: str) -> str:
    return "(object)" if isinstance(text, ObjectName) else Path(text).name
