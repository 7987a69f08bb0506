"""A TFLite model as plain frozen data, which the reader has checked."""

from __future__ import annotations

import enum

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from forebay.frontends.tflite.file.options import OperatorOptions

ABSENT = -1
"""The tensor index of an optional operand that is absent."""


class ElementType(enum.Enum):
    """The element types by NumPy name; `RESOURCE` is a handle to a variable."""

    FLOAT32 = "float32"
    FLOAT16 = "float16"
    FLOAT64 = "float64"
    INT8 = "int8"
    UINT8 = "uint8"
    INT16 = "int16"
    UINT16 = "uint16"
    INT32 = "int32"
    UINT32 = "uint32"
    INT64 = "int64"
    UINT64 = "uint64"
    BOOL = "bool"
    RESOURCE = "resource"
    OTHER = "other"

    @property
    def bytes(self) -> int:
        """The size of one element in bytes; 0 for types without elements in the file."""
        if self in (ElementType.RESOURCE, ElementType.OTHER):
            return 0
        return np.dtype(self.value).itemsize

    @property
    def is_quantised(self) -> bool:
        """Return whether tensors of activations of the type have a scale."""
        return self in (ElementType.INT8, ElementType.UINT8, ElementType.INT16)

    @property
    def range(self) -> tuple[int, int]:
        """The lowest and the highest value of an integer type."""
        info = np.iinfo(self.value)
        return int(info.min), int(info.max)


class TfliteQuantization(Struct, frozen=True):
    """A quantisation `real = scale * (stored - zero_point)`, per tensor or slice of `dimension`."""

    scales: tuple[float, ...]
    zero_points: tuple[int, ...]
    dimension: int

    @property
    def scale(self) -> float:
        """The scale of the whole tensor (the first one where there are several)."""
        return self.scales[0]

    @property
    def zero_point(self) -> int:
        """The zero point of the whole tensor (the first one where there are several)."""
        return self.zero_points[0]


class TfliteTensor(Struct, frozen=True, eq=False):
    """One tensor of a subgraph; `data` holds the elements of a constant, `shape` may hold -1."""

    index: int
    name: str
    type: ElementType
    type_name: str
    shape: tuple[int, ...]
    quantization: TfliteQuantization | None
    data: NDArray[np.generic] | None
    is_variable: bool
    was_unsigned: bool = False
    """Whether the file has uint8 here; the importer has subtracted 128 (`lowering/unsigned.py`)."""
    is_dynamic: bool = False
    """Whether the shape is only known at run time; `shape` has 1 for each unknown dimension."""


class TfliteOperator(Struct, frozen=True, eq=False):
    """One operator; operands are tensor indices, and `options` is None if none are read."""

    index: int
    name: str
    version: int
    inputs: tuple[int, ...]
    outputs: tuple[int, ...]
    options: OperatorOptions | None
    custom_options: bytes = b""
    """The options of a custom operator, in a format of its own, mostly a FlexBuffer."""


class Subgraph(Struct, frozen=True, eq=False):
    """Operators in the order of execution; their indices refer to `tensors`."""

    tensors: tuple[TfliteTensor, ...]
    inputs: tuple[int, ...]
    outputs: tuple[int, ...]
    operators: tuple[TfliteOperator, ...]


class Model(Struct, frozen=True, eq=False):
    """A whole file; subgraph 0 is the network."""

    file_name: str
    bytes: int
    subgraphs: tuple[Subgraph, ...]
