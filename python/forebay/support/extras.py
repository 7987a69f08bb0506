"""Packages of the extras, which are imported only where they are used."""

from __future__ import annotations

from importlib import import_module
from typing import Any

from forebay.errors import Error


class MissingExtraError(Error):
    """A package of an extra is not installed."""


def require_extra(module: str, extra: str, purpose: str) -> Any:
    """Return a module of an extra; raise `MissingExtraError` with the command that installs it."""
    try:
        return import_module(module)
    except ModuleNotFoundError as error:
        raise MissingExtraError(
            f"{purpose}, which needs the package '{error.name}': pip install 'forebay[{extra}]'"
        ) from error
