"""The interface of engines that run a compiled network."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from forebay.network.errors import CodegenError
from forebay.network.model import ModelInfo

FILL = 0xA5  # the initial contents of pools, on which no result may depend


class Engine(Protocol):
    """An engine that runs inferences; state persists between them until a reset."""

    def run(self, inputs: Sequence[NDArray[Any]]) -> tuple[NDArray[Any], ...]:
        """Run one inference on the inputs in the model's order; return the outputs."""
        ...

    def reset(self) -> None:
        """Initialise the state; do nothing for a network without state."""
        ...


class NotResetError(CodegenError):
    """A stateful network was run before its state was reset."""


class DeviceError(CodegenError):
    """A device returned an error, `code`, which ended the run.

    `device` and `where`, an operator or a function, are empty if the engine does not know them.
    """

    def __init__(self, model: str, code: int, device: str = "", where: str = "") -> None:
        by, at = device and f" by {device}", where and f" at {where}"
        super().__init__(f"'{model}': a device's function has returned {code}{by}{at}")
        self.code = code
        self.device = device
        self.where = where


def pool_arrays(model: ModelInfo) -> dict[str, NDArray[np.uint8]]:
    """Return aligned memory for each pool that the application provides, filled with 0xA5."""
    return {p.name: aligned_bytes(p.size, p.alignment) for p in model.provided_pools}


def fill_constants(
    pools: dict[str, NDArray[np.uint8]], images: Mapping[str, NDArray[np.uint8]]
) -> None:
    """Copy the bytes of constant pools into the pools' memory."""
    for name, image in images.items():
        pools[name][: image.size] = image


def aligned_bytes(size: int, alignment: int) -> NDArray[np.uint8]:
    """Return bytes whose first address is a multiple of the alignment."""
    raw = np.full(max(size, 1) + alignment, FILL, dtype=np.uint8)
    start = -raw.ctypes.data % alignment
    return raw[start : start + max(size, 1)]
