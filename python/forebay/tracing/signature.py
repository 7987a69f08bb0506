"""The parameters of a traced function."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence

from forebay.tracing.errors import TraceError
from forebay.tracing.lines import line_of, without_partial

_BY_NAME = (inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.Parameter.KEYWORD_ONLY)


def parameters_of(
    function: Callable[..., object], known: Sequence[str], kind: str
) -> dict[str, inspect.Parameter]:
    """Return the parameters that are given by name, in the order of the names.

    A parameter with a default whose name is not known keeps its default. Raises `TraceError` at the
    function's line for any other parameter that is not known.
    """
    found = inspect.signature(function).parameters
    for name, parameter in found.items():
        if parameter.kind not in _BY_NAME:
            raise TraceError(
                f"parameter '{parameter}' of {name_of_function(function)} is not given by name; "
                f"name the {kind} that it uses: {_listed(known)}",
                line_of(function),
            )
        if name not in known and parameter.default is inspect.Parameter.empty:
            raise TraceError(
                f"parameter '{name}' of {name_of_function(function)} is none of the {kind}: "
                f"{_listed(known)}",
                line_of(function),
            )
    return {name: found[name] for name in known if name in found}


def name_of_function(function: Callable[..., object]) -> str:
    """Return the name of a function for messages."""
    return getattr(without_partial(function), "__name__", "the function")


def _listed(names: Sequence[str]) -> str:
    return ", ".join(names) or "there are none"
