"""The mapping of a file's arrays to inputs and outputs: by name or by position, never mixed."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

import numpy as np

from forebay.network.array_files import (
    Array,
    ArrayFileError,
    read_array,
    read_arrays,
    write_arrays,
)
from forebay.network.model import GoldenStep, Port
from forebay.network.pictures import read_picture
from forebay.network.port_arrays import mismatch
from forebay.support.arrays import Arrays

_WHAT = {"in": "input", "out": "output"}
_NUMBERED = re.compile(r"(?:in|out)(0|[1-9]\d*)_(?:0|[1-9]\d*)")


def read_inputs(path: Path, ports: Sequence[Port]) -> tuple[Arrays, ...]:
    """Return the inputs of each inference from a `.npy`, `.npz` or `.png` file.

    A `.npy` file or a picture is for a network with one input. A `.npz` file names its arrays as
    the inputs, for one inference; or by position, `in0_0`, `in0_1`, ..., then `in1_0`, ..., where
    the first number counts the inferences and the second the inputs. Raises ArrayFileError for any
    other file.
    """
    if path.suffix == ".npz":
        return _inputs_of(read_arrays(path), ports, path)
    if path.suffix not in (".npy", ".png"):
        raise ArrayFileError(f"{path}: inputs are .npy, .npz or .png files")
    if len(ports) != 1:
        names = _listed(port.name for port in ports)
        raise ArrayFileError(
            f"{path}: has one array, but the network {len(ports)} inputs: {names}; give a .npz file"
        )
    if path.suffix == ".png":
        return ((read_picture(path, ports[0]),),)
    return ((_fitting(read_array(path), ports[0], "the array", "input", path),),)


def read_golden(
    path: Path, inputs: Sequence[Port], outputs: Sequence[Port]
) -> tuple[GoldenStep, ...]:
    """Return inferences from a `.npz` file: inputs `in0_0`, `in0_1`..., outputs `out0_0`...

    The first number counts the inferences, the second the inputs or outputs of the network. Raises
    ArrayFileError unless the file holds all arrays that the steps need, and no others.
    """
    arrays = read_arrays(path)
    steps = _steps(arrays)
    wanted = {"in": inputs, "out": outputs}
    if not steps:
        there = _listed(arrays) or "none"
        raise ArrayFileError(
            f"{path}: goldens are arrays named in0_0, out0_0, in1_0, ...; there are: {there}"
        )
    _require(arrays, [name for kind, p in wanted.items() for name in _names(kind, steps, p)], path)
    return tuple(
        GoldenStep(
            _numbered(arrays, "in", step, inputs, path),
            _numbered(arrays, "out", step, outputs, path),
        )
        for step in range(steps)
    )


def write_outputs(path: Path, ports: Sequence[Port], steps: Sequence[Arrays]) -> list[str]:
    """Write the outputs of inferences to a `.npz` file; return the names of the arrays.

    For one inference these are the outputs' names, for several `out0_0`, `out1_0`, ...
    """
    require_archive(path)
    names = [port.name for port in ports]
    if len(steps) != 1:
        names = _names("out", len(steps), ports)
    arrays = [array for step in steps for array in step]
    write_arrays(path, dict(zip(names, arrays, strict=True)))
    return names


def require_archive(path: Path) -> None:
    """Raise `ArrayFileError` unless outputs can be written to a file of this name."""
    if path.suffix != ".npz":
        raise ArrayFileError(f"{path}: outputs are written to a .npz file")


def require_equal(
    ports: Sequence[Port], steps: Sequence[Arrays], expected: Sequence[Arrays], file: str
) -> None:
    """Raise `ArrayFileError` at the first output that differs from the expected one.

    Integers must be equal, floats must agree within 1e-5.
    """
    for number, (outputs, wanted) in enumerate(zip(steps, expected, strict=True)):
        for port, one, other in zip(ports, outputs, wanted, strict=True):
            equal = one == other
            if one.dtype.kind == "f":
                equal = np.isclose(one, other, rtol=0, atol=1e-5, equal_nan=True)
            if not np.all(equal):
                at = tuple(int(i) for i in np.argwhere(~equal)[0])
                raise ArrayFileError(
                    f"{file}: inference {number}, output '{port.name}': {np.sum(~equal):,} of "
                    f"{one.size:,} elements differ; element {list(at)} is {one[at]}, expected "
                    f"{other[at]}"
                )


def _inputs_of(
    arrays: Mapping[str, Array], ports: Sequence[Port], path: Path
) -> tuple[Arrays, ...]:
    names = [port.name for port in ports]
    if set(arrays) == set(names):
        return (_fitting_all(arrays, names, ports, "input", path),)
    steps = _steps(arrays)
    if not steps:
        _require(arrays, names, path)
    if any(name.startswith("out") for name in arrays if _NUMBERED.fullmatch(name)):
        raise ArrayFileError(
            f"{path}: has expected outputs, too; give it as --golden, to have them compared"
        )
    _require(arrays, _names("in", steps, ports), path)
    return tuple(_numbered(arrays, "in", step, ports, path) for step in range(steps))


def _steps(arrays: Iterable[str]) -> int:
    """Return the number of inferences in the numbered names of arrays."""
    found = (_NUMBERED.fullmatch(name) for name in arrays)
    return len({match[1] for match in found if match is not None})


def _names(kind: str, steps: int, ports: Sequence[Port]) -> list[str]:
    return [f"{kind}{step}_{index}" for step in range(steps) for index in range(len(ports))]


def _require(arrays: Iterable[str], wanted: Sequence[str], path: Path) -> None:
    """Raise ArrayFileError if an array is missing or unknown."""
    there = list(arrays)
    missing, unknown = set(wanted) - set(there), set(there) - set(wanted)
    if not missing and not unknown:
        return
    parts = [
        f"{what}: {_listed(name for name in names if name in chosen)}"
        for what, names, chosen in (("missing", wanted, missing), ("unknown", there, unknown))
        if chosen
    ]
    raise ArrayFileError(
        f"{path}: needs the arrays {_listed(wanted) or 'none'} and no others; {'; '.join(parts)}"
    )


def _numbered(
    arrays: Mapping[str, Array], kind: str, step: int, ports: Sequence[Port], path: Path
) -> Arrays:
    names = [f"{kind}{step}_{index}" for index in range(len(ports))]
    return _fitting_all(arrays, names, ports, _WHAT[kind], path)


def _fitting_all(
    arrays: Mapping[str, Array], names: Sequence[str], ports: Sequence[Port], what: str, path: Path
) -> Arrays:
    return tuple(
        _fitting(arrays[name], port, f"'{name}'", what, path)
        for name, port in zip(names, ports, strict=True)
    )


def _fitting(array: Array, port: Port, name: str, what: str, path: Path) -> Array:
    reason = mismatch(port, array, what)
    if reason is not None:
        raise ArrayFileError(f"{path}: {name} does not fit: {reason}")
    return array


def _listed(names: Iterable[str]) -> str:
    """Return the first twelve names, and the number of names if there are more."""
    shown = list(names)
    more = f", ... ({len(shown)} in all)" if len(shown) > 12 else ""
    return ", ".join(shown[:12]) + more
