"""Compile functions and modules of other packages."""

from __future__ import annotations

import re
import tempfile
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from forebay.driver.compiler import compile

if TYPE_CHECKING:
    from forebay.driver.compiled import Compiled


def from_jax(function: Callable[..., Any], *examples: Any, **options: Any) -> Compiled:
    """Compile a function of JAX for arguments like `examples`, arrays or `jax.ShapeDtypeStruct`.

    `options` are those of `forebay.compile`. Needs the extra `forebay[jax]`. The network is named
    after the function. Raises `Error` (its subclasses) when JAX or Forebay refuses it.
    """
    from forebay.frontends.bridges.from_jax import export_jax  # noqa: PLC0415

    name = _identifier(getattr(function, "__name__", ""))
    with tempfile.TemporaryDirectory(prefix="forebay-") as folder:
        path = Path(folder, f"{name}.mlir")
        export_jax(function, examples, path)
        return compile(path, **options)


def from_torch(
    module: Any,
    example: Sequence[Any],
    calibration: Iterable[Sequence[Any]] | None = None,
    **options: Any,
) -> Compiled:
    """Compile a module of PyTorch for inputs like those in the tuple `example`.

    `calibration` yields the inputs of several inferences, as tuples; with it the network becomes
    int8, else it computes in float32. `options` are those of `forebay.compile`. Needs the extra
    `forebay[torch]`. The network is named after the class of the module. Raises `Error` (its
    subclasses) when PyTorch, its converter or Forebay refuses it.
    """
    from forebay.frontends.bridges.from_torch import export_torch  # noqa: PLC0415

    with tempfile.TemporaryDirectory(prefix="forebay-") as folder:
        path = Path(folder, f"{_identifier(type(module).__name__)}.tflite")
        export_torch(module, example, calibration, path)
        return compile(path, **options)


def _identifier(name: str) -> str:
    return re.sub(r"\W", "_", name).strip("_") or "function"
