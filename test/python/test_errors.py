"""All errors of Forebay have one base class, and an error knows the first of its causes."""

from __future__ import annotations

import ast
import builtins
from collections.abc import Iterator
from pathlib import Path

import forebay
from forebay.errors import Error

ROOT = Path(__file__).parents[2]
BUILT_IN = {
    name
    for name, value in vars(builtins).items()
    if isinstance(value, type) and issubclass(value, BaseException)
}


def exceptions() -> Iterator[tuple[str, str]]:
    """The classes that derive from an exception of Python, with their modules."""
    for folder in (ROOT / "python" / "forebay", ROOT / "passes"):
        for path in folder.rglob("*.py"):
            for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
                if isinstance(node, ast.ClassDef):
                    bases = {ast.unparse(base) for base in node.bases}
                    if bases & BUILT_IN:
                        yield path.relative_to(ROOT).as_posix(), node.name


def test_one_class_is_the_base_of_all_errors() -> None:
    assert set(exceptions()) == {("python/forebay/errors.py", "Error")}
    assert forebay.Error is Error


def raised(error: Exception, cause: Exception) -> Exception:
    """The error as `raise error from cause` leaves it."""
    error.__cause__ = cause
    return error


def test_the_origin_is_the_last_error_of_the_causes() -> None:
    first = raised(Error("first"), KeyError("x"))
    second = raised(Error("second"), first)
    assert isinstance(second, Error)
    assert second.origin is first
    assert second.origin.origin is first
