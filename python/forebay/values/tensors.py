"""The tensors between the operators of a model: who makes them, and how devices hold them."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from forebay.ir.locations import ModelLocation

Elements = NDArray[np.int64]


@dataclass(frozen=True)
class Tensor:
    """What one operator gives to others or to the caller.

    `name` is as messages show it, `operator` as reports name who makes it; `dtype` is the NumPy
    name of its elements, integers taken as signed.
    """

    origin: ModelLocation
    name: str
    shape: tuple[int, ...]
    dtype: str
    operator: str = ""


@dataclass(frozen=True, eq=False)
class Layout:
    """Element `i` of a tensor, counted row by row, is element `elements[i]` of this shape."""

    shape: tuple[int, ...]
    elements: Elements

    @staticmethod
    def plain(shape: tuple[int, ...]) -> Layout:
        """A tensor as the model has it."""
        return Layout(shape, np.arange(math.prod(shape), dtype=np.int64))


@dataclass(frozen=True, eq=False)
class Values:
    """What one inference computes: tensors, by where their operators stand, and the outputs."""

    tensors: Mapping[ModelLocation, NDArray[Any]]
    outputs: tuple[NDArray[Any], ...]


@dataclass(frozen=True)
class Tensors:
    """All of a model, and the layouts in which the devices of a target hold some of them.

    `ends` says of tensors that the host computes what the last step of their kernels is.
    """

    all: tuple[Tensor, ...] = ()
    layouts: Mapping[ModelLocation, Layout] = field(default_factory=dict[ModelLocation, Layout])
    ends: Mapping[ModelLocation, str] = field(default_factory=dict[ModelLocation, str])


TOLERANCE = 1e-5
"""By which floats may differ, relative to the largest magnitude in the tensor."""


def differing(found: NDArray[Any], wanted: NDArray[Any]) -> NDArray[np.bool_]:
    """Where elements differ: integers at all, floats by more than the tolerance."""
    if found.dtype.kind != "f":
        return found != wanted
    return ~np.isclose(found, wanted, rtol=0.0, atol=tolerance_of(wanted), equal_nan=True)


def tolerance_of(wanted: NDArray[Any]) -> float:
    """By how much a float of this tensor may differ."""
    return TOLERANCE * float(np.max(np.abs(wanted), initial=0.0, where=np.isfinite(wanted)))


NO_TENSORS = Tensors()
NO_VALUES = Values({}, ())
