"""Packages that only some planners need, each an extra of this one."""

from __future__ import annotations

from importlib import import_module
from typing import Any

from forebay.planning.model.errors import ExtraMissingError


def import_extra(module: str, extra: str) -> Any:
    """The module; raises `ExtraMissingError` with the extra that brings it."""
    try:
        return import_module(module)
    except ImportError as error:
        package = module.partition(".")[0]
        raise ExtraMissingError(
            f"planner '{extra}' needs the package '{package}', which is not installed: "
            f"pip install 'forebay[{extra}]'"
        ) from error
