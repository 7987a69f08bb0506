"""What a model file says about its tensors beyond their values: how integers stand for numbers."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True)
class ModelTensor:
    """A quantised tensor: real = scale * (stored - zero point).

    `dtype` is a NumPy name. With several scales, element `i` in row-major order has the one at
    `i // stride % len(scales)`. `data` are the bytes of a constant.
    """

    name: str
    dtype: str
    elements: int
    scales: tuple[float, ...]
    zero_points: tuple[int, ...]
    stride: int
    data: bytes | None = None


@dataclass(frozen=True)
class ModelTensors:
    """The quantised tensors of a model, by what the imported module calls them.

    `results`: those that operators compute, by operator and name; `constants`: those that an
    operator reads; `variables`: the state, by name.
    """

    results: Mapping[tuple[int, str], ModelTensor] = field(
        default_factory=dict[tuple[int, str], ModelTensor]
    )
    constants: Mapping[int, tuple[ModelTensor, ...]] = field(
        default_factory=dict[int, tuple[ModelTensor, ...]]
    )
    variables: Mapping[str, ModelTensor] = field(default_factory=dict[str, ModelTensor])
