"""Import of optional packages that only some planners need; each is an extra of Forebay."""

from __future__ import annotations

from importlib import import_module
from typing import Any

from forebay.planning.model.errors import ExtraMissingError


def import_extra(module: str, extra: str) -> Any:
    """Import and return the module.

    Raises `ExtraMissingError`, which names the extra to install, when the import fails.
    """
    try:
        return import_module(module)
    except ImportError as error:
        package = module.partition(".")[0]
        raise ExtraMissingError(
            f"planner '{extra}' needs the package '{package}', which is not installed: "
            f"pip install 'forebay[{extra}]'"
        ) from error
