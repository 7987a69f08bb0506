"""Drawn convolutions of floats: a model file, and what they compute sum by sum in NumPy."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from common.model_file import Op, T, constant, single

Floats = NDArray[np.float32]
SAME, VALID = 0, 1
EDGES = (0.0, -0.0, 1e-45, -1e-40, 1e30, -3e38, np.inf, -np.inf, np.nan)
"""Elements whose sums show the order of additions, and what an added zero changes."""


@dataclass(frozen=True)
class FloatConvolution:
    """A convolution; of a depthwise one each channel has a window of its own."""

    size: tuple[int, int]
    depth: int
    channels: int
    kernel: tuple[int, int]
    stride: tuple[int, int] = (1, 1)
    dilation: tuple[int, int] = (1, 1)
    padding: int = SAME
    is_depthwise: bool = False
    has_relu: bool = False

    @property
    def out(self) -> tuple[int, int]:
        """The rows and columns of the result."""
        spans = [(k - 1) * d + 1 for k, d in zip(self.kernel, self.dilation, strict=True)]
        inside = [
            n if self.padding == SAME else n - s + 1 for n, s in zip(self.size, spans, strict=True)
        ]
        height, width = (-(-n // s) for n, s in zip(inside, self.stride, strict=True))
        return height, width

    def weights(self, rng: np.random.Generator) -> tuple[Floats, Floats]:
        """Return weights, some of which are zeros, and a bias."""
        last = (self.channels,) if self.is_depthwise else (self.depth,)
        shape = (1 if self.is_depthwise else self.channels, *self.kernel, *last)
        found = rng.standard_normal(shape).astype(np.float32)
        found[rng.random(shape) < 0.1] = -0.0
        return found, rng.standard_normal(self.channels).astype(np.float32)

    def source(self, rng: np.random.Generator, *, has_edges: bool) -> Floats:
        """Return an input; with `has_edges` a few elements are zeros, tiny, huge or no numbers."""
        found = rng.standard_normal((1, *self.size, self.depth)).astype(np.float32)
        if has_edges:
            at = rng.random(found.shape) < 0.05
            found[at] = rng.choice(np.array(EDGES, np.float32), int(at.sum()))
        return found

    def file(self, weights: Floats, bias: Floats) -> bytes:
        """Return the model."""
        tensors = [
            T((1, *self.size, self.depth), "float32"),
            T(weights.shape, "float32", data=weights),
            constant(bias, "float32"),
            T((1, *self.out, self.channels), "float32"),
        ]
        fields = {
            "Padding": self.padding,
            "StrideH": self.stride[0],
            "StrideW": self.stride[1],
            "DilationHFactor": self.dilation[0],
            "DilationWFactor": self.dilation[1],
            "FusedActivationFunction": int(self.has_relu),
        }
        name, options = "CONV_2D", "Conv2DOptions"
        if self.is_depthwise:
            name, options = "DEPTHWISE_CONV_2D", "DepthwiseConv2DOptions"
            fields["DepthMultiplier"] = self.channels // self.depth
        return single(Op(name, [0, 1, 2], [3], options, fields, 3), tensors)

    def expected(self, source: Floats, weights: Floats, bias: Floats) -> Floats:
        """Return the results: points outside are left out, and each sum has the window's order."""
        sums = np.zeros((*self.out, self.channels), np.float32)
        with np.errstate(all="ignore"):
            for inside, elements, own in self._points(source[0], weights):
                sums = np.where(inside[..., None], sums + elements * own, sums)
            sums = sums + bias
        if self.has_relu:
            largest = np.finfo(np.float32).max
            sums = np.where(sums <= 0, np.float32(0), np.where(sums >= largest, largest, sums))
        return sums[None].astype(np.float32)

    def _points(
        self, source: Floats, weights: Floats
    ) -> Iterator[tuple[NDArray[np.bool_], Floats, Floats]]:
        """Yield per point which positions have it, their elements, and the channels' weights."""
        spans = [(k - 1) * d + 1 for k, d in zip(self.kernel, self.dilation, strict=True)]
        before = [
            0 if self.padding == VALID else max(0, (o - 1) * s + span - n) // 2
            for o, s, span, n in zip(self.out, self.stride, spans, self.size, strict=True)
        ]
        for ky, kx in np.ndindex(*self.kernel):
            y, x = (
                np.arange(o) * s + k * d - b
                for o, s, k, d, b in zip(
                    self.out, self.stride, (ky, kx), self.dilation, before, strict=True
                )
            )
            inside = ((y >= 0) & (y < self.size[0]))[:, None] & (x >= 0) & (x < self.size[1])
            own = source[y.clip(0, self.size[0] - 1)[:, None], x.clip(0, self.size[1] - 1)]
            if self.is_depthwise:
                times = self.channels // self.depth
                yield inside, own.repeat(times, axis=-1), weights[0, ky, kx]
            else:
                for k in range(self.depth):
                    yield inside, own[..., k, None], weights[:, ky, kx, k]


def drawn_convolution(seed: int) -> FloatConvolution:
    """Return a convolution of drawn sizes, strides, padding and dilation."""
    rng = np.random.default_rng(seed)
    depth, is_depthwise = int(rng.choice([1, 2, 3, 4, 8, 16])), bool(rng.integers(2))
    channels = int(rng.choice([1, 3, 5, 8, 16, 20, 24, 32]))
    kernel = (int(rng.integers(1, 4)), int(rng.integers(1, 4)))
    dilation = tuple(int(rng.choice([1, 1, 2])) for _ in kernel)
    stride = (1, 1) if max(dilation) > 1 else tuple(int(n) for n in rng.integers(1, 3, 2))
    return FloatConvolution(
        size=(int(rng.integers(5, 12)), int(rng.integers(5, 12))),
        depth=depth,
        channels=depth * int(rng.integers(1, 3)) if is_depthwise else channels,
        kernel=kernel,
        stride=(stride[0], stride[1]),
        dilation=(dilation[0], dilation[1]),
        padding=int(rng.integers(2)),
        is_depthwise=is_depthwise,
        has_relu=bool(rng.integers(2)),
    )
