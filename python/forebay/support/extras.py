"""Packages of the extras, which are imported only where they are used."""

from __future__ import annotations

from importlib import import_module
from importlib.util import find_spec
from typing import Any

from forebay.errors import Error


class MissingExtraError(Error):
    """A package of an extra is not installed."""


def require_extra(module: str, extra: str, purpose: str) -> Any:
    """Return a module of an extra; raise `MissingExtraError` with the command that installs it."""
    try:
        return import_module(module)
    except ModuleNotFoundError as error:
        raise _missing(str(error.name), extra, purpose) from error


def require_installed(package: str, extra: str, purpose: str) -> None:
    """Raise `MissingExtraError` unless a package is installed, without importing it."""
    if find_spec(package) is None:
        raise _missing(package, extra, purpose)


def _missing(package: str, extra: str, purpose: str) -> MissingExtraError:
    return MissingExtraError(
        f"{purpose}, which needs the package '{package}': pip install 'forebay[{extra}]'"
    )
