"""The Python API that compiles a model file to a planned network.

The compiler is loaded by the first call, not by the import of this module.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Concatenate, ParamSpec

from forebay.options import Options
from forebay.options.option_class import documentation_of, signature_of

if TYPE_CHECKING:
    from forebay.driver.compiled import Compiled

P = ParamSpec("P")


def compile_with(model: str | Path, options: Options) -> Compiled:
    """Compile a model file with these options.

    Raises `Error` (its subclasses) when the model or the plan is refused.
    """
    from forebay import targets  # noqa: PLC0415
    from forebay.driver.compilation import compile_model  # noqa: PLC0415

    with targets.once():
        return compile_model(Path(model), options)


def _with_keywords(make: Callable[P, Options]) -> Callable[Concatenate[str | Path, P], Compiled]:
    """Return `compile_with` with the fields of `Options` as keywords."""

    def compile(model: str | Path, *args: P.args, **kwargs: P.kwargs) -> Compiled:
        from forebay import targets  # noqa: PLC0415

        with targets.once():
            return compile_with(model, make(*args, **kwargs))

    model = inspect.Parameter(
        "model", inspect.Parameter.POSITIONAL_OR_KEYWORD, annotation="str | Path"
    )
    signature = signature_of(Options, model).replace(return_annotation="Compiled")
    vars(compile)["__signature__"] = signature
    compile.__qualname__ = "compile"
    compile.__doc__ = (
        "Compile a model file; the options are the fields of `Options`.\n\n"
        f"{documentation_of(Options)}\n\n"
        "Raises `Error` (its subclasses) when an option, the model or the plan is refused."
    )
    return compile


compile = _with_keywords(Options)
"""Compile a model file; the options are the fields of `Options`, as keywords.

Raises `Error` (its subclasses) when an option, the model or the plan is refused.
"""
