"""The tensors between the operators of a model: their producers and their layouts on devices."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np
from msgspec import Struct, field
from numpy.typing import NDArray

from forebay.ir.locations import ModelLocation

Elements = NDArray[np.int64]


class Tensor(Struct, frozen=True):
    """A tensor that one operator passes to others or to the caller.

    `name` is the tensor's name in messages, `operator` its producer's name in reports. `dtype` is
    the NumPy name of the element type, where integers are signed.
    """

    origin: ModelLocation
    name: str
    shape: tuple[int, ...]
    dtype: str
    operator: str = ""


class Layout(Struct, frozen=True, eq=False):
    """An order of elements in an array of `shape`.

    Element `i` of a tensor, counted in row-major order, is element `elements[i]` of the array.
    """

    shape: tuple[int, ...]
    elements: Elements

    @staticmethod
    def plain(shape: tuple[int, ...]) -> Layout:
        """Return the layout of a tensor in the model."""
        return Layout(shape, np.arange(math.prod(shape), dtype=np.int64))


class Values(Struct, frozen=True, eq=False):
    """The results of one inference: tensors by their operators' locations, and the outputs."""

    tensors: Mapping[ModelLocation, NDArray[Any]]
    outputs: tuple[NDArray[Any], ...]


class Tensors(Struct, frozen=True):
    """All tensors of a model, and the layouts in which the devices of a target hold some of them.

    `ends` maps tensors that the host computes to the last op of their kernels.
    """

    all: tuple[Tensor, ...] = ()
    layouts: Mapping[ModelLocation, Layout] = field(default_factory=dict[ModelLocation, Layout])
    ends: Mapping[ModelLocation, str] = field(default_factory=dict[ModelLocation, str])


TOLERANCE = 1e-5
"""The allowed difference of floats, relative to the largest magnitude in the tensor."""


def differing_elements(found: NDArray[Any], wanted: NDArray[Any]) -> NDArray[np.bool_]:
    """Return where elements differ; floats may differ by the tolerance."""
    if found.dtype.kind != "f":
        return found != wanted
    return ~np.isclose(found, wanted, rtol=0.0, atol=tolerance_of(wanted), equal_nan=True)


def tolerance_of(wanted: NDArray[Any]) -> float:
    """Return the allowed absolute difference of a float in this tensor."""
    return TOLERANCE * float(np.max(np.abs(wanted), initial=0.0, where=np.isfinite(wanted)))


NO_TENSORS = Tensors()
NO_VALUES = Values({}, ())
