"""Small networks whose ports share a tensor or a name, as data and as files."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
from common.model_file import Graph, Op, T, build

CONSTANT = np.array([[3, 1, 4, 1, 5, 9, 2, 6]], np.int8)


def values(name: str = "", data: np.ndarray | None = None) -> T:
    return T((1, 8), "int8", 1 / 16, 0, data=data, name=name)


def squashed(name: str = "") -> T:
    return T((1, 8), "int8", 1 / 256, -128, name=name)


def logistic(given: int, result: int) -> Op:
    return Op("LOGISTIC", [given], [result])


GRAPHS = {
    "an input that is an output, too": Graph([values(), squashed()], [0], [1, 0], [logistic(0, 1)]),
    "nothing but an input that is the output": Graph([values()], [0], [0], []),
    "an output that is listed twice": Graph([values(), squashed()], [0], [1, 1], [logistic(0, 1)]),
    "an input and an output of one name": Graph(
        [values("t"), squashed("t")], [0], [1], [logistic(0, 1)]
    ),
    "two outputs of one name": Graph(
        [values(), squashed("o"), T((1, 8), "int8", 1 / 128, 0, name="o")],
        [0],
        [1, 2],
        [logistic(0, 1), Op("TANH", [0], [2])],
    ),
    "a constant that is an output": Graph(
        [values(), squashed(), values(data=CONSTANT)], [0], [1, 2], [logistic(0, 1)]
    ),
    "an output that shows an input in another shape": Graph(
        [values(), squashed(), T((8,), "int8", 1 / 16, 0)],
        [0],
        [2],
        [logistic(0, 1), Op("SQUEEZE", [0], [2], "SqueezeOptions")],
    ),
    "two inputs that change places": Graph([values("a"), values("b")], [0, 1], [1, 0], []),
    "all at once": Graph(
        [values("x"), values("x"), squashed("x"), values("x", CONSTANT)],
        [0, 1],
        [2, 1, 2, 0, 3, 1],
        [logistic(0, 2)],
    ),
}


def written(graph: Graph, folder: Path, name: str = "net") -> Path:
    path = folder / f"{name}.tflite"
    path.write_bytes(build(graph))
    return path


def named(inputs: Sequence[str], outputs: Sequence[str]) -> Graph:
    """A network of that many inputs and outputs: output `i` is LOGISTIC of input `i`, in turn."""
    count = len(inputs)
    return Graph(
        [*map(values, inputs), *map(squashed, outputs)],
        range(count),
        range(count, count + len(outputs)),
        [logistic(i % count, count + i) for i in range(len(outputs))],
    )


def drawn(graph: Graph, seed: int = 0) -> list[np.ndarray]:
    generator = np.random.default_rng(seed)
    return [generator.integers(-128, 128, (1, 8), np.int8, endpoint=False) for _ in graph.inputs]
