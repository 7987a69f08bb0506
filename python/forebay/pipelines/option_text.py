"""Values of options as a textual pipeline takes them."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from forebay.errors import Error

_PLAIN = re.compile(r"[\w./:+\-@$%^*~=;,!?#&|<>\\]*")


Value = bool | int | str | Sequence[str]


def with_options(name: str, options: Mapping[str, Value]) -> str:
    """A pass with options by their names."""
    given = " ".join(f"{option}={_value(value)}" for option, value in options.items())
    return f"{name}{{{given}}}" if given else name


def _value(value: Value) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, int):
        return str(value)
    if isinstance(value, str):
        return quoted_whole(value) or "''"
    joined = ",".join(map(quoted, value))
    # Quotes at both ends of a list would be taken for quotes around it.
    return f"{{{joined}}}" if "'" in joined or '"' in joined else joined or "''"


def quoted(text: str) -> str:
    """The text as an option's value or one element of a list; pipelines drop the quotes.

    Raises `Error` for what no quotes can hold: both kinds of quotes, braces without their match.
    """
    return text if _PLAIN.fullmatch(text) and "," not in text else in_quotes(text)


def quoted_whole(text: str) -> str:
    """The text as a whole option's value, which may have commas."""
    return text if _PLAIN.fullmatch(text) else in_quotes(text)


def in_quotes(text: str) -> str:
    """The text between the quotes that it does not have."""
    if not can_be_quoted(text):
        raise Error(
            f"{text!r} cannot be the option of a pass: it has both kinds of quotes, braces without "
            "their match, or characters that are no UTF-8"
        )
    quote = "'" if "'" not in text else '"'
    return f"{quote}{text}{quote}"


def can_be_quoted(text: str) -> bool:
    """Whether a pipeline's text can hold it."""
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
