"""Windows of images: views of the elements under a kernel's taps, without a copy."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from mlir import ir
from msgspec import Struct
from numpy.lib.stride_tricks import as_strided

from forebay.reference.types import Array


class Window(Struct, frozen=True):
    """The movement of a kernel over the image dimensions between batch and channels."""

    kernel: tuple[int, ...]
    stride: tuple[int, ...]
    dilation: tuple[int, ...]
    pad: tuple[int, ...]
    """Padding before and after, for each dimension."""

    @staticmethod
    def of(op: Any, kernel: Sequence[int]) -> Window:
        """Return the window of a TOSA op."""
        attributes = op.operation.attributes
        ones = (1,) * len(kernel)
        dilation = _numbers(attributes["dilation"]) if "dilation" in attributes else ones
        return Window(
            tuple(kernel), _numbers(attributes["stride"]), dilation, _numbers(attributes["pad"])
        )

    def padded(self, image: Array, value: Any) -> Array:
        """Return the image with its border."""
        if not any(self.pad):
            return image
        border = [(0, 0), *zip(self.pad[::2], self.pad[1::2], strict=True), (0, 0)]
        return np.pad(image, border, constant_values=value)

    def patches(self, padded: Array, outputs: Sequence[int]) -> Array:
        """Return a view `[batch, outputs..., kernel..., channels]` of a padded image."""
        batch, *inner, channels = padded.strides
        return as_strided(
            padded,
            (padded.shape[0], *outputs, *self.kernel, padded.shape[-1]),
            (
                batch,
                *(step * by for step, by in zip(inner, self.stride, strict=True)),
                *(step * by for step, by in zip(inner, self.dilation, strict=True)),
                channels,
            ),
            writeable=False,
        )

    def taps(self, padded: Array, outputs: Sequence[int]) -> list[tuple[tuple[int, ...], Array]]:
        """Return for each kernel position its view `[batch, outputs..., channels]` of the image."""
        found: list[tuple[tuple[int, ...], Array]] = []
        for place in np.ndindex(*self.kernel):
            parts = [
                slice(at * by, at * by + (count - 1) * step + 1, step)
                for at, by, count, step in zip(
                    place, self.dilation, outputs, self.stride, strict=True
                )
            ]
            found.append((place, padded[(slice(None), *parts)]))
        return found


def _numbers(attribute: ir.Attribute) -> tuple[int, ...]:
    return tuple(ir.DenseI64ArrayAttr(attribute))
