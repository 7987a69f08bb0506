"""The bytes of constant pools: as arrays for the engines, as files for the application."""

from __future__ import annotations

from typing import Any

import numpy as np
from mlir.ir import Module
from numpy.typing import NDArray

from forebay.network.constants import constants_of
from forebay.network.model import ModelInfo, PlannedPool
from forebay.network.names import Naming


def image_name(pool: PlannedPool, naming: Naming) -> str:
    """Return the name of the file with the bytes of a constant pool."""
    return f"{naming.prefix}_{naming.pools[pool.name]}.bin"


def image_files(module: Module, model: ModelInfo, naming: Naming) -> dict[str, bytes]:
    """Return the bytes of each constant pool, little-endian, by file name."""
    images = pool_images(module, model)
    return {image_name(pool, naming): images[pool.name].tobytes() for pool in model.constant_pools}


def pool_images(module: Module, model: ModelInfo) -> dict[str, NDArray[np.uint8]]:
    """Return the bytes of every constant pool, little-endian, with zeros in gaps."""
    images = {pool.name: np.zeros(pool.size, np.uint8) for pool in model.constant_pools}
    for constant in constants_of(module):
        images[constant.pool][constant.offset : constant.end] = _little_endian(constant.data)
    return images


def _little_endian(data: NDArray[Any]) -> NDArray[np.uint8]:
    return np.frombuffer(data.astype(data.dtype.newbyteorder("<")).tobytes(), np.uint8)
