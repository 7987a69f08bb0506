"""Layers whose rows are computed one by one: when each row is live, and a place for it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

import numpy as np

SPACE = "#memref_pool.space<@sram>"


@dataclass(frozen=True)
class Tensor:
    """Rows of `width` columns of `channels`."""

    name: str
    height: int
    width: int
    channels: int
    rate: int
    skew: int
    is_rows: bool = True

    @property
    def row_bytes(self) -> int:
        return self.width * self.channels

    @property
    def shape(self) -> str:
        return f"1x{self.height}x{self.width}x{self.channels}xi8"

    def type(self, *, rows: bool) -> str:
        """The type of the buffer; the input is the caller's."""
        if not self.is_rows:
            return f"memref<{self.shape}>"
        return f"memref<{self.shape}, {'#memref_pool.rows<2>, ' if rows else ''}{SPACE}>"

    @property
    def row_type(self) -> str:
        return f"memref<{self.width}x{self.channels}xi8, {SPACE}>"


@dataclass(frozen=True)
class Layer:
    """Row y of the result needs rows `[y * stride - pad, ... + kernel)` of the sources."""

    kind: str
    sources: tuple[Tensor, ...]
    result: Tensor
    kernel: int = 1
    stride: int = 1
    pad: int = 0

    def reads(self, y: int) -> Iterator[tuple[str, int]]:
        for source in self.sources:
            for row in range(y * self.stride - self.pad, y * self.stride - self.pad + self.kernel):
                if 0 <= row < source.height:
                    yield source.name, row


def _skew(sources: tuple[Tensor, ...], height: int, rate: int, window: tuple[int, int, int]) -> int:
    kernel, stride, pad = window
    return max(
        (
            source.rate * min(y * stride - pad + kernel - 1, source.height - 1)
            + source.skew
            - rate * y
            for source in sources
            if source.is_rows
            for y in range(height)
        ),
        default=0,
    )


@dataclass
class Layers:
    """Layers in order, the lifetimes of the rows of their tensors, and places for them."""

    input: Tensor
    classes: int = 5
    found: list[Layer] = field(default_factory=list[Layer])
    constants: dict[str, np.ndarray] = field(default_factory=dict[str, np.ndarray])
    seed: int = 0
    late: dict[str, int] = field(default_factory=dict[str, int])
    """Changes of the skews of layers by number, which are mistakes if they are negative."""

    def _constant(self, name: str, *shape: int) -> None:
        source = np.random.default_rng(len(self.constants) + self.seed)
        self.constants[name] = source.integers(-128, 128, shape, np.int8)

    def _layer(
        self, kind: str, sources: tuple[Tensor, ...], channels: int, window: tuple[int, int, int]
    ) -> Tensor:
        kernel, stride, pad = window
        first = sources[0]
        height = (first.height + 2 * pad - kernel) // stride + 1
        width = (first.width + 2 * pad - kernel) // stride + 1
        rate = first.rate * stride
        skew = _skew(sources, height, rate, window)
        name = f"{kind}{len(self.found)}"
        result = Tensor(name, height, width, channels, rate, skew)
        self.found.append(Layer(kind, sources, result, kernel, stride, pad))
        return result

    def conv(self, source: Tensor, channels: int, window: tuple[int, int, int]) -> Tensor:
        """A convolution with a square kernel; `window` is (kernel, stride, pad)."""
        self._constant(f"w{len(self.found)}", channels, window[0], window[0], source.channels)
        return self._layer("conv", (source,), channels, window)

    def depthwise(self, source: Tensor, window: tuple[int, int, int]) -> Tensor:
        """A depthwise convolution."""
        self._constant(f"w{len(self.found)}", window[0], window[0], source.channels)
        return self._layer("depthwise", (source,), source.channels, window)

    def pool(self, source: Tensor, window: tuple[int, int, int]) -> Tensor:
        """An average of the elements that are inside."""
        return self._layer("pool", (source,), source.channels, window)

    def add(self, one: Tensor, other: Tensor) -> Tensor:
        """A sum in place of the second tensor, which then is the sum."""
        skew = _skew((one, other), other.height, other.rate, (1, 1, 0))
        result = Tensor(other.name, other.height, other.width, other.channels, other.rate, skew)
        self.found.append(Layer("add", (one, other), result))
        return result

    def concat(self, one: Tensor, other: Tensor) -> Tensor:
        """The channels of both."""
        return self._layer("concat", (one, other), one.channels + other.channels, (1, 1, 0))

    # ---- The oracle of lifetimes, and places -----------------------------------------------------

    @property
    def iterations(self) -> int:
        return 1 + max(e.result.rate * (e.result.height - 1) + e.result.skew for e in self.found)

    def lifetimes(self) -> dict[tuple[str, int], tuple[int, int]]:
        """First and last access of each row, in kernels that ran."""
        found: dict[tuple[str, int], tuple[int, int]] = {}
        point = 0
        last = self.found[-1].result
        for t in range(self.iterations):
            for layer in self.found:
                y, rest = divmod(t - layer.result.skew, layer.result.rate)
                if rest or not 0 <= y < layer.result.height:
                    continue
                for key in [*layer.reads(y), (layer.result.name, y)]:
                    found[key] = (found.get(key, (point, 0))[0], point + 1)
                point += 1
            y, rest = divmod(t - last.skew, last.rate)
            if not rest and 0 <= y < last.height:
                found[last.name, y] = (found[last.name, y][0], point + 1)
                point += 1
        return found

    def places(self) -> dict[str, list[int]]:
        """Offsets of the rows of each tensor, by first fit in the order of sizes."""
        tensors = self._tensors()
        lives = self.lifetimes()
        keys = [(name, y) for name, tensor in tensors.items() for y in range(tensor.height)]
        keys.sort(key=lambda key: -tensors[key[0]].row_bytes)
        taken: dict[tuple[str, int], tuple[int, int]] = {}
        for key in keys:
            size, (start, end) = tensors[key[0]].row_bytes, lives[key]
            others = sorted(
                bytes_
                for other, bytes_ in taken.items()
                if lives[other][0] < end and start < lives[other][1]
            )
            at = 0
            for begin, after in others:
                if begin >= at + size:
                    break
                at = max(at, after)
            taken[key] = (at, at + size)
        return {n: [taken[n, y][0] for y in range(t.height)] for n, t in tensors.items()}

    def _tensors(self) -> dict[str, Tensor]:
        return {layer.result.name: layer.result for layer in self.found}

    def sample(self, seed: int) -> np.ndarray:
        """An input."""
        source = self.input
        shape = (1, source.height, source.width, source.channels)
        return np.random.default_rng(seed).integers(-128, 128, shape, np.int8)

    def row_peak(self) -> int:
        """The end of the last row in `places`."""
        tensors = self._tensors()
        places = self.places()
        return max(max(places[name]) + t.row_bytes for name, t in tensors.items())
