"""Functions of JAX: StableHLO, by way of linalg."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

from mlir import ir

from forebay.errors import Error
from forebay.frontends.bridges.process import run_script
from forebay.frontends.errors import UnsupportedModel
from forebay.frontends.mlir.importer import import_mlir
from forebay.pipelines import run_pipeline
from forebay.support.extras import require_installed

_CLEAN = "builtin.module(inline,canonicalize,cse,symbol-dce)"


def export_jax(function: Callable[..., Any], examples: tuple[Any, ...], path: Path) -> None:
    """Write the function of arguments like `examples` as a `.mlir` file.

    JAX traces the function in this process, since it belongs to it; its passes run in another.
    """
    require_installed("jax", "jax", "JAX exports the function")
    import jax  # noqa: PLC0415  # pyright: ignore[reportMissingImports]

    if not callable(function) or not examples:
        raise Error("from_jax takes a function and an example of each argument")
    try:
        exported = jax.export.export(jax.jit(function), platforms=["cpu"])(*examples)
    except Exception as error:  # JAX runs the function, which raises what it raises
        raise UnsupportedModel(f"JAX cannot export it: {error}", path.stem) from error
    artifact = path.with_suffix(".stablehlo")
    artifact.write_bytes(exported.mlir_module_serialized)
    leaves, _ = jax.tree_util.tree_flatten_with_path(examples)
    names = [_name(keys, jax.tree_util.keystr(keys)) for keys, _ in leaves]
    kept = [names[i] for i in exported.module_kept_var_idx]
    run_script("stablehlo_to_linalg", [artifact, path, json.dumps(kept)], path.stem)
    _clean(path)


def _clean(path: Path) -> None:
    """Inline the functions that JAX makes for parts of an operation, and fold constants."""
    with ir.Context():
        module = import_mlir(path, lowered=True)
        run_pipeline(module, _CLEAN)
        path.write_text(str(module.operation.get_asm(enable_debug_info=True)))


def _name(keys: tuple[Any, ...], text: str) -> str:
    """Return `arg0` for the first argument, and `arg0['w']` for a part of it."""
    first = getattr(keys[0], "idx", 0)
    return f"arg{first}{text.partition(']')[2]}"
