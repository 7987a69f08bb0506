"""Reading of documents: JSON text to typed objects, with errors that name the wrong value."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import msgspec

from forebay.errors import Error
from forebay.formats.mistakes import malformed, wrong
from forebay.formats.record import Document

D = TypeVar("D", bound=Document)


class DocumentError(Error):
    """A text that is not the expected document; the message says where in the text, and why."""


def read_document(text: str, kind: type[D], *, prepare: Callable[[Any], Any] | None = None) -> D:
    """Return the document of this type in a JSON text.

    `prepare` changes the data before the check of its types. Raises `DocumentError`.
    """
    data = _decoded(text)
    return converted(data if prepare is None else prepare(data), kind)


def converted(data: Any, kind: type[D]) -> D:
    """Return the document of this type in decoded data; raise `DocumentError`."""
    try:
        return msgspec.convert(data, kind)
    except msgspec.ValidationError as error:
        raise DocumentError(
            f"{wrong(str(error), data, kind)}; `forebay schema {kind.document}` prints the format"
        ) from error


def read_file(path: Path, kind: type[D]) -> D:
    """Return the document of this type in a file; raise `DocumentError`, which names the file."""
    try:
        return read_document(path.read_text(encoding="utf-8"), kind)
    except OSError as error:
        raise DocumentError(f"{path}: {error.strerror or error}") from error
    except UnicodeDecodeError as error:
        raise DocumentError(f"{path}: not UTF-8 text") from error
    except DocumentError as error:
        raise DocumentError(f"{path}: {error}") from error


def _decoded(text: str) -> Any:
    try:
        return msgspec.json.decode(text)
    except RecursionError:
        raise DocumentError("lists and objects are nested too deeply") from None
    except msgspec.ValidationError:
        raise DocumentError("a number has more than 4,300 digits or exceeds 1.8e308") from None
    except msgspec.DecodeError as error:
        raise DocumentError(f"not JSON: {malformed(text, str(error))}") from error
