"""Option values in the syntax of a textual pipeline."""

from __future__ import annotations

import re
from collections.abc import Mapping
from enum import Enum

from forebay.errors import Error

_PLAIN = re.compile(r"[\w./:+\-@$%^*~=;,!?#&|<>\\]*")


def with_options(name: str, options: Mapping[str, object]) -> str:
    """Return the text of a pass with options by name; values have a type of `option_kinds`."""
    given = " ".join(f"{option}={_value(value)}" for option, value in options.items())
    return f"{name}{{{given}}}" if given else name


def text_of(value: object) -> str:
    """Return the text of an option's value, without quotes."""
    match value:
        case None:
            return ""
        case bool():
            return str(value).lower()
        case Enum():
            return str(value.value)
        case tuple() | list():
            return ",".join(map(_element, value))
        case _:
            return str(value)


def _element(value: object) -> str:
    """Return the text of an element of a list."""
    match value:
        case (name, tuple(several)):
            return f"{name}={'+'.join(several)}"
        case (name, one):
            return f"{name}={one}"
        case _:
            return text_of(value)


def _value(value: object) -> str:
    if not isinstance(value, tuple | list):
        return quoted_whole(text_of(value)) or "''"
    joined = ",".join(quoted(_element(element)) for element in value)
    # The parser would take quotes at both ends of a list for quotes around the list.
    return f"{{{joined}}}" if "'" in joined or '"' in joined else joined or "''"


def quoted(text: str) -> str:
    """Return the text as an option's value or one list element; the pipeline parser drops quotes.

    Raises `Error` for a text that cannot be quoted: with both kinds of quotes, or with braces that
    do not match.
    """
    return text if _PLAIN.fullmatch(text) and "," not in text else in_quotes(text)


def quoted_whole(text: str) -> str:
    """Return the text as a whole option's value, which may have commas."""
    return text if _PLAIN.fullmatch(text) else in_quotes(text)


def in_quotes(text: str) -> str:
    """Return the text in the kind of quotes that it does not contain."""
    if not can_be_quoted(text):
        raise Error(
            f"{text!r} cannot be the option of a pass: it has both kinds of quotes, braces without "
            "their match, or characters that are no UTF-8"
        )
    quote = "'" if "'" not in text else '"'
    return f"{quote}{text}{quote}"


def can_be_quoted(text: str) -> bool:
    """Return whether a textual pipeline can hold the text."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    both = "'" in text and '"' in text
    return not both and _is_balanced(text) and "\n" not in text


def _is_balanced(text: str) -> bool:
    depth = 0
    for character in text:
        depth += {"{": 1, "}": -1}.get(character, 0)
        if depth < 0:
            return False
    return depth == 0
