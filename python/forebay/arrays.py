"""Arrays in files: what `forebay run` reads and writes."""

from __future__ import annotations

import zipfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from forebay.codegen.model import GoldenStep, Port
from forebay.errors import Error
from forebay.files import replaced_when_done

Array = NDArray[Any]


class ArrayFileError(Error):
    """A file does not hold the arrays that are asked of it."""


def read_inputs(path: Path, ports: Sequence[Port]) -> tuple[Array, ...]:
    """One array per input, from a `.npy`, `.npz` or `.png` file.

    A `.npy` file or picture serves a network with one input. A `.npz` file names its arrays as the
    inputs, or `in0_0`, `in0_1`, ...; with as many arrays as inputs, their order serves too. A
    picture of the input's height and width is taken as grey or RGB, 0..255: as it is for uint8,
    minus 128 for int8, divided by 255 for floats.
    """
    if path.suffix == ".npz":
        return _from_archive(_load(path), ports, path)
    if len(ports) != 1:
        raise ArrayFileError(f"{path}: the network has {len(ports)} inputs; give them as .npz")
    if path.suffix == ".npy":
        return (_load(path),)
    if path.suffix == ".png":
        return (_picture(path, ports[0]),)
    raise ArrayFileError(f"{path}: inputs are .npy, .npz or .png files")


def read_golden(path: Path, inputs: int, outputs: int) -> tuple[GoldenStep, ...]:
    """Steps of inference from a `.npz` file: inputs `in0_0`, `in0_1`..., outputs `out0_0`...

    The first number counts the steps, the second the inputs or outputs of the network.
    """
    arrays = _load(path)
    steps: list[GoldenStep] = []
    while f"in{len(steps)}_0" in arrays:
        step = len(steps)
        steps.append(
            GoldenStep(
                tuple(_named(arrays, f"in{step}_{i}", path) for i in range(inputs)),
                tuple(_named(arrays, f"out{step}_{i}", path) for i in range(outputs)),
            )
        )
    if not steps:
        raise ArrayFileError(f"{path}: goldens are arrays named in0_0, out0_0, in1_0, ...")
    return tuple(steps)


def read_arrays(path: Path) -> dict[str, Array]:
    """All arrays of a `.npz` file by name."""
    arrays = _load(path)
    if isinstance(arrays, np.ndarray):
        raise ArrayFileError(f"{path}: named arrays are in a .npz file")
    return arrays


def write_outputs(path: Path, arrays: Mapping[str, Array]) -> None:
    """Write named arrays to a `.npz` file, which appears whole or not at all."""
    if path.suffix != ".npz":
        raise ArrayFileError(f"{path}: outputs are written to a .npz file")
    with replaced_when_done(path) as file:
        np.savez(file, **arrays)  # pyright: ignore[reportArgumentType]


def _load(path: Path) -> Any:
    try:
        loaded = np.load(path, allow_pickle=False)
    except (OSError, ValueError, EOFError, zipfile.BadZipFile) as error:
        raise ArrayFileError(f"{path}: cannot be read as NumPy arrays: {error}") from error
    if not isinstance(loaded, np.ndarray):
        return {name: loaded[name] for name in loaded.files}
    return loaded


def _from_archive(
    arrays: Mapping[str, Array], ports: Sequence[Port], path: Path
) -> tuple[Array, ...]:
    names = [port.name for port in ports]
    if all(name in arrays for name in names):
        return tuple(arrays[name] for name in names)
    numbered = [f"in0_{index}" for index in range(len(ports))]
    if all(name in arrays for name in numbered):
        return tuple(arrays[name] for name in numbered)
    if len(arrays) == len(ports):
        return tuple(arrays.values())
    there = ", ".join(arrays) or "none"
    raise ArrayFileError(f"{path}: needs the arrays {', '.join(names)}; there are: {there}")


def _named(arrays: Mapping[str, Array], name: str, path: Path) -> Array:
    if name not in arrays:
        raise ArrayFileError(f"{path}: the array {name} is missing; there are: {', '.join(arrays)}")
    return arrays[name]


def _picture(path: Path, port: Port) -> Array:
    try:
        from PIL import Image, UnidentifiedImageError  # noqa: PLC0415  (an optional dependency)
    except ImportError as error:
        raise ArrayFileError("pictures need Pillow: pip install 'forebay[image]'") from error
    modes = {1: "L", 3: "RGB", 4: "RGBA"}
    if len(port.shape) != 4 or port.shape[0] != 1 or port.shape[3] not in modes:
        raise ArrayFileError(f"{path}: input '{port.name}' of shape {port.shape} is no picture")
    try:
        with Image.open(path) as image:
            pixels = np.asarray(image.convert(modes[port.shape[3]]), np.uint8)
    except (OSError, UnidentifiedImageError) as error:
        raise ArrayFileError(f"{path}: cannot be read as a picture: {error}") from error
    if pixels.shape[:2] != port.shape[1:3]:
        raise ArrayFileError(
            f"{path}: the picture is {pixels.shape[1]}x{pixels.shape[0]}, input '{port.name}' is "
            f"{port.shape[2]}x{port.shape[1]}; resize it first"
        )
    return _as_input(pixels.reshape(port.shape), port)


def _as_input(pixels: NDArray[np.uint8], port: Port) -> Array:
    dtype = np.dtype(port.dtype)
    if dtype == np.uint8:
        return pixels
    if dtype == np.int8:
        return (pixels.astype(np.int16) - 128).astype(np.int8)
    if dtype.kind == "f":
        return pixels.astype(dtype) / dtype.type(255)
    raise ArrayFileError(
        f"input '{port.name}' is {port.dtype}; pictures serve int8, uint8 and floats"
    )
