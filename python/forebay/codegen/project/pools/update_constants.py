"""New values for the constants of a written project; its code and plan do not change."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from forebay.codegen.project.build_files.output_directory import replace_files
from forebay.codegen.project.pools.weights_manifest import (
    FORMAT,
    VERSION,
    digest,
    manifest_text,
)
from forebay.network.errors import CodegenError


class ConstantsError(CodegenError):
    """Values that do not fit a project's constants, or a project without constant files."""


def update_constants(directory: Path | str, values: Mapping[str, NDArray[Any]]) -> tuple[Path, ...]:
    """Write values into the constant files of a project; return the files that changed.

    Names, shapes and types are those of `<m>_weights.json`. Every constant keeps its offset, so
    that the project's code runs on the new files unchanged. All values are checked before the first
    file is written; all files change or none. The self-test still expects the outputs of the old
    constants (`outdated_selftest`).

    Raises ConstantsError for an unknown name, for another shape or type, and for files whose bytes
    are not those of the manifest.
    """
    manifest_path = _manifest_in(Path(directory))
    manifest = json.loads(manifest_path.read_text("utf-8"))
    images = {pool["file"]: _read(manifest_path.parent, pool) for pool in manifest["pools"]}
    places = {
        constant["name"]: (pool["file"], constant)
        for pool in manifest["pools"]
        for constant in pool["constants"]
    }
    for name, value in values.items():
        if name not in places:
            raise ConstantsError(f"no constant '{name}'; constants: {', '.join(sorted(places))}")
        file, facts = places[name]
        _put(images[file], facts, value)
    changed = [p for p in manifest["pools"] if digest(images[p["file"]]) != p["sha256"]]
    for pool in changed:
        pool["sha256"] = digest(images[pool["file"]])
    if changed:
        files = {pool["file"]: bytes(images[pool["file"]]) for pool in changed}
        text = manifest_text(manifest).encode()
        replace_files(manifest_path.parent, {**files, manifest_path.name: text})
    return tuple(manifest_path.parent / pool["file"] for pool in changed)


def outdated_selftest(directory: Path | str) -> Path | None:
    """Return the self-test if its expected outputs are those of other constants, else None."""
    manifest_path = _manifest_in(Path(directory))
    manifest = json.loads(manifest_path.read_text("utf-8"))
    prefix = manifest_path.name.removesuffix("_weights.json")
    selftest = manifest_path.with_name(f"{prefix}_selftest.c")
    is_current = all(pool["sha256"] == pool["selftest_sha256"] for pool in manifest["pools"])
    return None if is_current or not selftest.exists() else selftest


def _manifest_in(directory: Path) -> Path:
    """Return the only manifest in a directory; raise ConstantsError if there is not exactly one."""
    found = [
        path
        for path in sorted(directory.glob("*_weights.json"))
        if _header(path) == {"format": FORMAT, "version": VERSION}
    ]
    if len(found) != 1:
        raise ConstantsError(
            f"'{directory}' has {len(found)} manifests of constants, not one; write the project "
            "with its weights outside of the image (--weights-blob)"
        )
    return found[0]


def _header(path: Path) -> dict[str, Any]:
    try:
        content: Any = json.loads(path.read_text("utf-8"))
    except (OSError, ValueError):
        return {}
    if not isinstance(content, dict):
        return {}
    return {key: content.get(key) for key in ("format", "version")}


def _read(directory: Path, pool: Mapping[str, Any]) -> bytearray:
    path = directory / pool["file"]
    try:
        data = path.read_bytes()
    except OSError as error:
        raise ConstantsError(f"{path}: {error.strerror or error}") from error
    if digest(data) != pool["sha256"]:
        raise ConstantsError(
            f"{path}: its bytes are not those of the manifest; restore it or write the project anew"
        )
    return bytearray(data)


def _put(image: bytearray, facts: dict[str, Any], value: NDArray[Any]) -> None:
    dtype = np.dtype(facts["type"])
    if value.dtype != dtype or list(value.shape) != facts["shape"]:
        raise ConstantsError(
            f"constant '{facts['name']}' is {dtype}{facts['shape']}, "
            f"{value.dtype}{list(value.shape)} was given; other shapes need another plan: compile "
            "the changed model"
        )
    data = value.astype(dtype.newbyteorder("<")).tobytes()
    image[facts["offset"] : facts["offset"] + facts["size"]] = data
    facts["sha256"] = digest(data)
