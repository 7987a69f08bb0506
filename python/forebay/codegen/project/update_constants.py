"""New values for the constants of a written project; its code and plan do not change."""

from __future__ import annotations

import math
import operator
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from msgspec import UNSET
from msgspec.structs import replace
from numpy.typing import NDArray

from forebay.codegen.project.build_files.output_directory import replace_files
from forebay.codegen.project.pools.weights_manifest import bytes_digest
from forebay.formats.reading import DocumentError, read_file
from forebay.formats.weights_manifest import (
    ConstantFile,
    ListedConstant,
    WeightsManifest,
    is_weights_manifest,
)
from forebay.formats.writing import json_text
from forebay.ir.interleaved import Interleaving, extended, interleave
from forebay.network.errors import CodegenError


class ConstantsError(CodegenError):
    """Values that do not fit a project's constants, or a project without constant files."""


def update_constants(directory: Path | str, values: Mapping[str, NDArray[Any]]) -> tuple[Path, ...]:
    """Write values into the constant files of a project; return the files that changed.

    Names, shapes and types are those of `<m>_weights.json`. Every constant keeps its offset, and
    gets its elements in the order of the file, so that the project's code runs on the new files
    unchanged. All values are checked before the first
    file is written; all files change or none. The self-test still expects the outputs of the old
    constants (`outdated_selftest`).

    Raises ConstantsError for an unknown name, for another shape or type, and for files whose bytes
    are not those of the manifest.
    """
    path = _manifest_in(Path(directory))
    manifest = _read_manifest(path)
    images = {file.file: _read(path.parent, file) for file in manifest.pools}
    places = {
        constant.name: (file.file, constant)
        for file in manifest.pools
        for constant in file.constants
    }
    for name, value in values.items():
        if name not in places:
            raise ConstantsError(f"no constant '{name}'; constants: {', '.join(sorted(places))}")
        file, constant = places[name]
        _put(images[file], constant, value)
    changed = [
        file.file for file in manifest.pools if bytes_digest(images[file.file]) != file.sha256
    ]
    if changed:
        files = tuple(_with_digests(file, images[file.file]) for file in manifest.pools)
        text = json_text(replace(manifest, pools=files)).encode()
        contents = {file: bytes(images[file]) for file in changed}
        replace_files(path.parent, {**contents, path.name: text})
    return tuple(path.parent / file for file in changed)


def outdated_selftest(directory: Path | str) -> Path | None:
    """Return the self-test if its expected outputs are those of other constants, else None."""
    path = _manifest_in(Path(directory))
    selftest = path.with_name(f"{path.name.removesuffix('_weights.json')}_selftest.c")
    is_current = all(file.sha256 == file.selftest_sha256 for file in _read_manifest(path).pools)
    return None if is_current or not selftest.exists() else selftest


def _manifest_in(directory: Path) -> Path:
    """Return the only manifest in a directory; raise ConstantsError if there is not exactly one."""
    files = sorted(directory.glob("*_weights.json"))
    found = [path for path in files if _is_manifest(path)]
    if len(found) != 1:
        reasons = [] if found else [fault for path in files if (fault := _fault_of(path))]
        why = f" ({'; '.join(reasons)})" if reasons else ""
        raise ConstantsError(
            f"'{directory}' has {len(found)} manifests of constants, not one{why}; write the "
            "project with its weights outside of the image (--weights-blob)"
        )
    return found[0]


def _fault_of(path: Path) -> str | None:
    """Return why a file is no manifest, or None if it is one."""
    try:
        read_file(path, WeightsManifest)
    except DocumentError as error:
        return str(error)
    return None


def _is_manifest(path: Path) -> bool:
    try:
        return is_weights_manifest(path.read_bytes())
    except OSError:
        return False


def _read_manifest(path: Path) -> WeightsManifest:
    try:
        manifest = read_file(path, WeightsManifest)
    except DocumentError as error:
        raise ConstantsError(str(error)) from error
    for file in manifest.pools:
        for constant in file.constants:
            if not _agrees(constant, file):
                raise ConstantsError(
                    f"{path}: type, shape, order, offset and size of constant '{constant.name}' do "
                    "not agree; write the project again"
                )
    return manifest


def _agrees(constant: ListedConstant, file: ConstantFile) -> bool:
    """Return whether a constant is in its file, and its shape has the channels of its order."""
    is_inside = constant.offset + constant.size <= file.size
    shape = constant.model_shape
    is_ordered = _order_of(constant).fits(constant.shape)
    has_shape = (
        constant.repeated is UNSET
        if shape is UNSET
        else (len(shape) == len(constant.shape) and all(map(operator.le, shape, constant.shape)))
    )
    return is_inside and is_ordered and has_shape and _bytes_of(constant) == constant.size


def _order_of(constant: ListedConstant) -> Interleaving:
    word = constant.interleaved_word
    return Interleaving(constant.interleaved, 1 if word is UNSET else word)


def _bytes_of(constant: ListedConstant) -> int | None:
    """Return the bytes that the type and the shape need, or None for an unknown type."""
    try:
        return math.prod(constant.shape) * np.dtype(constant.type).itemsize
    except TypeError:
        return None


def _read(directory: Path, file: ConstantFile) -> bytearray:
    path = directory / file.file
    try:
        data = path.read_bytes()
    except OSError as error:
        raise ConstantsError(f"{path}: {error.strerror or error}") from error
    if bytes_digest(data) != file.sha256:
        raise ConstantsError(
            f"{path}: its bytes are not those of the manifest; restore it or write the project "
            "again"
        )
    return bytearray(data)


def _put(image: bytearray, constant: ListedConstant, value: NDArray[Any]) -> None:
    dtype = np.dtype(constant.type)
    repeats = constant.repeated is True
    shape = constant.shape if constant.model_shape is UNSET else constant.model_shape
    wanted = shape if repeats else constant.shape
    if value.dtype != dtype or value.shape not in (shape, wanted):
        raise ConstantsError(
            f"constant '{constant.name}' is {dtype}{list(wanted)}, {value.dtype}"
            f"{list(value.shape)} was given; other shapes need another plan: compile the changed "
            "model"
        )
    if value.shape == shape:
        value = extended(value, constant.shape, repeats=repeats)
    order = _order_of(constant)
    ordered = interleave(value, order) if order else value
    data = ordered.astype(dtype.newbyteorder("<")).tobytes()
    image[constant.offset : constant.offset + constant.size] = data


def _with_digests(file: ConstantFile, image: bytearray) -> ConstantFile:
    """Return the entry of a file with the hashes of these bytes."""
    constants = tuple(
        replace(entry, sha256=bytes_digest(image[entry.offset : entry.offset + entry.size]))
        for entry in file.constants
    )
    return replace(file, sha256=bytes_digest(image), constants=constants)
