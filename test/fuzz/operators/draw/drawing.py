"""An operator while it is drawn: its tensors and what its inputs hold."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from random import Random

import numpy as np
from common.model_file import Graph, Op, T, build
from numpy.typing import NDArray

Array = NDArray[np.generic]
Shape = tuple[int, ...]
QUANTISED = ("int8", "uint8", "int16")
ZERO_POINTS = {"int8": (-128, 127), "uint8": (0, 255), "int16": (0, 0)}


@dataclass
class Drawing:
    """Everything of one operator."""

    rng: Random
    tensors: list[T] = field(default_factory=list)
    values: dict[int, Array] = field(default_factory=dict)
    ops: list[Op] = field(default_factory=list)

    def chance(self, probability: float) -> bool:
        return self.rng.random() < probability

    def shape(self, least: int = 1, most: int = 4, largest: int = 7) -> Shape:
        """Any shape; mostly of rank 4 and with a batch of 1."""
        rank = self.rng.randint(least, most)
        shape = [self.rng.randint(1, largest) for _ in range(rank)]
        if rank == 4 and self.chance(0.6):
            shape[0] = 1
        return tuple(shape)

    def scale(self) -> float:
        if self.chance(0.1):
            return float(2.0 ** self.rng.randint(-10, 2))
        return float(np.float32(10 ** self.rng.uniform(-2.5, 0)))

    def quantization(self, dtype: str) -> tuple[float, int]:
        low, high = ZERO_POINTS[dtype]
        return self.scale(), self.rng.choice(
            [low, high, (low + high) // 2, self.rng.randint(low, high)]
        )

    def random(self, shape: Sequence[int], dtype: str, low: float = -4, high: float = 4) -> Array:
        """Values over the range of an integer of up to 16 bits, else between the bounds."""
        rng = np.random.default_rng(self.rng.getrandbits(32))
        kind = np.dtype(dtype)
        if kind.kind == "b":
            return rng.integers(0, 2, shape).astype(kind)
        if kind.kind == "f":
            return rng.uniform(low, high, shape).astype(kind)
        info = np.iinfo(kind)
        if dtype in QUANTISED:
            low, high = info.min, info.max
        return rng.integers(int(low), int(high), shape, endpoint=True).astype(kind)

    def tensor(
        self,
        shape: Sequence[int],
        dtype: str,
        quantization: tuple[float, int] | None = None,
        *,
        constant: bool = False,
        values: Array | None = None,
        low: float = -4,
        high: float = 4,
    ) -> int:
        """A tensor; one of a quantised type has a quantisation."""
        if dtype in QUANTISED and quantization is None:
            quantization = self.quantization(dtype)
        scale, zero_point = quantization if dtype in QUANTISED and quantization else (None, 0)
        if values is None:
            values = self.random(shape, dtype, low, high)
        data = values if constant else None
        self.tensors.append(T(tuple(shape), dtype, scale, zero_point, data))
        self.values[len(self.tensors) - 1] = values
        return len(self.tensors) - 1

    def add(self, tensor: T) -> int:
        self.tensors.append(tensor)
        return len(self.tensors) - 1

    def integers(self, values: object, dtype: str = "int32") -> int:
        data = np.array(values, dtype)
        return self.add(T(data.shape, dtype, data=data))

    def emit(
        self,
        name: str,
        inputs: Sequence[int],
        outputs: Sequence[int],
        options: str = "",
        **fields: object,
    ) -> None:
        custom = fields.pop("custom", None)
        self.ops.append(Op(name, list(inputs), list(outputs), options, fields, custom=custom))  # type: ignore[arg-type]

    def file(self) -> tuple[bytes, list[Array]]:
        """The network, and the values of its inputs."""
        made = {i for op in self.ops for i in op.outputs}
        read = dict.fromkeys(i for op in self.ops for i in op.inputs if i >= 0)
        inputs = [
            i
            for i in read
            if i not in made and self.tensors[i].data is None and not self.tensors[i].is_variable
        ]
        outputs = list(self.ops[-1].outputs)
        return build(Graph(self.tensors, inputs, outputs, self.ops)), [
            self.values[i] for i in inputs
        ]


Draw = Callable[[Drawing], None]


def size(shape: Sequence[int]) -> int:
    return math.prod(shape)
