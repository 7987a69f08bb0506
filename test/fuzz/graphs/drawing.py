"""A quantised network while it is drawn: its tensors, its operators, and what can be used next."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from random import Random

import numpy as np
from common.model_file import Graph, Op, T, build

Shape = tuple[int, ...]
MOST_ELEMENTS = 3000


@dataclass(frozen=True)
class Value:
    """An int8 tensor that operators may read."""

    index: int
    shape: Shape
    scale: float
    zero_point: int

    @property
    def quantization(self) -> tuple[float, int]:
        return self.scale, self.zero_point


@dataclass
class Drawing:
    """Everything so far."""

    rng: Random
    tensors: list[T] = field(default_factory=list)
    operators: list[Op] = field(default_factory=list)
    values: list[Value] = field(default_factory=list)
    variables: list[tuple[str, T]] = field(default_factory=list)
    ends: list[int] = field(default_factory=list)
    """Tensors of other types, which only the caller reads."""
    subgraphs: list[Graph] = field(default_factory=list)
    first_subgraph: int = 1
    replaced: dict[int, list[Op]] = field(default_factory=dict)
    """What TFLite Micro's network has instead of operators that it lacks, by their positions."""
    constants: dict[int, T] = field(default_factory=dict)
    """Tensors that are constants in TFLite Micro's network."""

    def scale(self) -> float:
        """Mostly ordinary; a power of two or an odd one now and then."""
        kind = self.rng.random()
        if kind < 0.05:
            return float(np.float32(2.0 ** self.rng.randint(-12, 4)))
        if kind < 0.08:
            return float(np.float32(10 ** self.rng.uniform(-7, 4)))
        return float(np.float32(10 ** self.rng.uniform(-2.5, 0)))

    def zero_point(self) -> int:
        return self.rng.choice([0, -128, 127, self.rng.randint(-128, 127)])

    def tensor(self, tensor: T) -> int:
        self.tensors.append(tensor)
        return len(self.tensors) - 1

    def value(self, shape: Sequence[int], scale: float, zero_point: int, **more: object) -> Value:
        """A new int8 tensor, which is not yet to be read."""
        found = T(tuple(shape), "int8", scale, zero_point, **more)  # type: ignore[arg-type]
        return Value(self.tensor(found), tuple(shape), scale, zero_point)

    def constant(self, shape: Sequence[int], scale: float, zero_point: int) -> Value:
        """A constant of random bytes."""
        count = math.prod(shape)
        data = np.array([self.rng.randint(-128, 127) for _ in range(count)], np.int8)
        return self.value(shape, scale, zero_point, data=data.reshape(tuple(shape)))

    def integers(self, values: object) -> int:
        """A constant int32 tensor."""
        data = np.array(values, np.int32)
        return self.tensor(T(data.shape, "int32", data=data))

    def pick(self, rank: int | None = None) -> Value | None:
        """A value to read, the newer the likelier; rarely a constant."""
        fitting = [v for v in self.values if rank is None or len(v.shape) == rank]
        if self.rng.random() < 0.04:
            size = [self.rng.randint(1, 5) for _ in range(rank or self.rng.randint(1, 4))]
            return self.constant(size, self.scale(), self.zero_point())
        if not fitting:
            return None
        newest = max(0, len(fitting) - 1 - int(self.rng.expovariate(0.6)))
        return fitting[newest]

    def emit(
        self,
        name: str,
        inputs: Sequence[int],
        outputs: Sequence[Value],
        options: str = "",
        **fields: object,
    ) -> None:
        """Append an operator; its results can be read from now on."""
        self.operators.append(Op(name, list(inputs), [v.index for v in outputs], options, fields))
        self.values.extend(outputs)

    def replace(self, operator: Op, instead: list[Op]) -> None:
        """Append an operator that TFLite Micro lacks, and what its network has in its place."""
        self.replaced[len(self.operators)] = instead
        self.operators.append(operator)

    def add_subgraph(self, graph: Graph) -> int:
        """The index of a new subgraph."""
        self.subgraphs.append(graph)
        return self.first_subgraph + len(self.subgraphs) - 1

    def is_constant(self, x: Value) -> bool:
        return self.tensors[x.index].data is not None

    def file(self, inputs: Sequence[int], outputs: Sequence[int]) -> bytes:
        return self._file(Graph(self.tensors, inputs, outputs, self.operators))

    def micro_file(self, inputs: Sequence[int], outputs: Sequence[int]) -> bytes:
        """The network with other operators for those that TFLite Micro lacks."""
        tensors = [self.constants.get(i, t) for i, t in enumerate(self.tensors)]
        operators = [
            op for i, given in enumerate(self.operators) for op in self.replaced.get(i, [given])
        ]
        return self._file(Graph(tensors, inputs, outputs, operators))

    def _file(self, main: Graph) -> bytes:
        if not self.variables:
            return build(main, *self.subgraphs)
        tensors: list[T] = []
        operators: list[Op] = []
        for name, initial in self.variables:
            fields = {"SharedName": name, "Container": ""}
            at = len(tensors)
            tensors += [T((), "resource", name=f"{name}_handle"), initial]
            operators.append(Op("VAR_HANDLE", [], [at], "VarHandleOptions", fields))
            operators.append(Op("ASSIGN_VARIABLE", [at, at + 1], [], "AssignVariableOptions"))
        return build(main, Graph(tensors, [], [], operators), *self.subgraphs)
