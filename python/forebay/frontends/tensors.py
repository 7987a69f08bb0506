"""The quantisation of a model's tensors: how integers represent real numbers."""

from __future__ import annotations

from collections.abc import Mapping

from msgspec import Struct, field


class ModelTensor(Struct, frozen=True):
    """A quantised tensor: real = scale * (stored - zero point).

    `dtype` is a NumPy name. With several scales, the scale of element `i` in row-major order has
    the index `i // stride % len(scales)`. `data` holds the bytes of a constant.
    """

    name: str
    dtype: str
    elements: int
    scales: tuple[float, ...]
    zero_points: tuple[int, ...]
    stride: int
    data: bytes | None = None


class ModelTensors(Struct, frozen=True):
    """The quantised tensors of a model, by their names in the imported module.

    `results` holds the tensors that operators compute, by operator index and name; `constants`
    those that an operator reads, by operator index; `variables` the state, by name.
    """

    results: Mapping[tuple[int, str], ModelTensor] = field(
        default_factory=dict[tuple[int, str], ModelTensor]
    )
    constants: Mapping[int, tuple[ModelTensor, ...]] = field(
        default_factory=dict[int, tuple[ModelTensor, ...]]
    )
    variables: Mapping[str, ModelTensor] = field(default_factory=dict[str, ModelTensor])
