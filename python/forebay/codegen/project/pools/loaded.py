"""The check that constants were loaded: a run compares a few bytes of the pool with the image."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from forebay.codegen.c.syntax.wrap import wrap_line
from forebay.codegen.project.interface.signatures import pool_pointer
from forebay.network.model import ModelInfo
from forebay.network.names import Naming

_SIZE = 8


class Sample(Struct, frozen=True):
    """The bytes of a pool that a run compares with the image."""

    offset: int
    size: int


def sample_of(image: NDArray[np.uint8], start: int = 0) -> Sample:
    """Return the 8-byte word with the most distinct bytes, unlikely in memory never written.

    `image` begins at byte `start` of its pool.
    """
    words = image[: image.size // _SIZE * _SIZE].reshape(-1, _SIZE)
    if not words.size:
        return Sample(start, image.size)
    distinct = (np.diff(np.sort(words, axis=1), axis=1) != 0).sum(axis=1)
    return Sample(start + int(distinct.argmax()) * _SIZE, _SIZE)


def refuse_unless_loaded(
    model: ModelInfo, naming: Naming, images: Mapping[str, NDArray[np.uint8]]
) -> list[str]:
    """Return a run's checks of the pools that are filled at init and that the host may read."""
    lines: list[str] = []
    for pool in model.at_init_pools:
        if not pool.is_host_readable:
            continue
        sample = sample_of(images[pool.name][pool.start :], pool.start)
        image = f"(const uint8_t *)&{naming.prefix}_{naming.pools[pool.name]}"
        memory = pool_pointer(pool.name, model, naming)
        if sample.offset:
            image, memory = f"{image} + {sample.offset}", f"{memory} + {sample.offset}"
        lines += wrap_line(f"    if (memcmp({memory}, {image}, {sample.size}) != 0) {{")
        lines += [f"        return {naming.macro}_ERROR_NOT_LOADED;", "    }"]
    return lines
