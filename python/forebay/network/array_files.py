"""Arrays in NumPy's files: `.npy` holds one array, `.npz` holds several arrays by name."""

from __future__ import annotations

import zipfile
import zlib
from collections.abc import Generator, Mapping
from contextlib import contextmanager
from pathlib import Path

import numpy as np

from forebay.errors import Error
from forebay.support.arrays import Array
from forebay.support.files import replaced_when_done

_SUFFIX = ".npy"


class ArrayFileError(Error):
    """A file that does not hold the expected arrays."""


def read_array(path: Path) -> Array:
    """Return the array of a `.npy` file."""
    with _named(path), path.open("rb") as file:
        return np.lib.format.read_array(file, allow_pickle=False)


def read_arrays(path: Path) -> dict[str, Array]:
    """Return all arrays of a `.npz` file by name; a name may occur only once."""
    arrays: dict[str, Array] = {}
    with _named(path), zipfile.ZipFile(path) as archive:
        for entry in archive.infolist():
            name = entry.filename.removesuffix(_SUFFIX)
            if name == entry.filename:
                raise ValueError(f"'{name}' in it is no array")
            if name in arrays:
                raise ValueError(f"it has the array '{name}' twice")
            with archive.open(entry) as file:
                arrays[name] = np.lib.format.read_array(file, allow_pickle=False)
    return arrays


def write_arrays(path: Path, arrays: Mapping[str, Array]) -> None:
    """Write named arrays to a `.npz` file, completely or not at all.

    Unlike `numpy.savez`, it accepts any name, and the same arrays give the same bytes.
    """
    with replaced_when_done(path) as file, zipfile.ZipFile(file, "w") as archive:
        for name, array in arrays.items():
            entry = zipfile.ZipInfo(f"{name}{_SUFFIX}")
            with archive.open(entry, "w", force_zip64=True) as member:
                np.lib.format.write_array(member, np.asanyarray(array), allow_pickle=False)


@contextmanager
def _named(path: Path) -> Generator[None]:
    """Convert the errors of reading a file to an ArrayFileError that names the file."""
    try:
        yield
    except OSError as error:
        raise ArrayFileError(f"{path}: {error.strerror or error}") from error
    except (
        ValueError,
        EOFError,
        MemoryError,
        NotImplementedError,
        RuntimeError,
        zipfile.BadZipFile,
        zlib.error,
    ) as error:
        reason = str(error) or "it does not fit into memory"
        raise ArrayFileError(f"{path}: cannot be read as NumPy arrays: {reason}") from error
