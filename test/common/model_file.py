"""Writes `.tflite` files from data, for tests: tensors, operators, done."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import flatbuffers
import numpy as np
import tflite
from flatbuffers import flexbuffers

_TYPES = {name.lower(): n for name, n in vars(tflite.TensorType).items() if isinstance(n, int)}
_ALIGNMENT = 16


@dataclass
class Sparsity:
    """The levels of a sparse tensor: the size of a dense one, segments and indices of a sparse."""

    order: Sequence[int]
    levels: Sequence[int | tuple[Sequence[int], Sequence[int]]]
    blocked: Sequence[int] = ()


@dataclass
class T:
    """A tensor; `data` makes it constant, a list of scales quantises it along `dimension`."""

    shape: Sequence[int]
    dtype: str = "int8"
    scale: float | Sequence[float] | None = None
    zero_point: int = 0
    data: np.ndarray | None = None
    name: str = ""
    dimension: int = 0
    signature: Sequence[int] | None = None
    is_variable: bool = False
    sparsity: Sparsity | None = None
    """Where it is there, `data` holds the stored elements only."""


@dataclass
class Op:
    """An operator on tensor indices; options by the name of their table and its fields."""

    name: str
    inputs: Sequence[int]
    outputs: Sequence[int]
    options: str = ""
    fields: Mapping[str, object] = field(default_factory=dict)
    version: int = 1
    custom: Mapping[str, object] | bytes | None = None
    """The options of a custom operator: their bytes, or a map that becomes a FlexBuffer."""
    codes: tuple[int, int] | None = None
    """The older and the newer field of the operator code, where they are not what they should."""


@dataclass
class Graph:
    """A subgraph."""

    tensors: Sequence[T]
    inputs: Sequence[int]
    outputs: Sequence[int]
    operators: Sequence[Op]


def constant(values: object, dtype: str = "int32", **more: object) -> T:
    """A constant tensor."""
    data = np.array(values, dtype=dtype)
    return T(data.shape, dtype, data=data, **more)


def single(op: Op, tensors: Sequence[T]) -> bytes:
    """A network of one operator, whose inputs that are not constant are the network's."""
    inputs = [i for i in op.inputs if i >= 0 and tensors[i].data is None]
    return build(Graph(tensors, inputs, list(op.outputs), [op]))


def build(*graphs: Graph) -> bytes:
    """The bytes of a file."""
    return _Builder().model(graphs)


def _flexbuffer(values: Mapping[str, object]) -> bytes:
    return bytes(flexbuffers.Dumps(dict(values)))


class _Builder:
    def __init__(self) -> None:
        self.b = flatbuffers.Builder(4096)
        self.buffers = [b""]
        self.codes: list[tuple[str, int, tuple[int, int] | None]] = []
        self.written: dict[int, int] = {}

    def model(self, graphs: Sequence[Graph]) -> bytes:
        subgraphs = self.tables("Model", "Subgraphs", [self.graph(g) for g in graphs])
        codes = self.tables("Model", "OperatorCodes", [self.code(*c) for c in self.codes])
        buffers = self.tables("Model", "Buffers", [self.buffer(b) for b in self.buffers])
        root = self.table(
            "Model", Version=3, Subgraphs=subgraphs, OperatorCodes=codes, Buffers=buffers
        )
        self.b.Finish(root, b"TFL3")
        return bytes(self.b.Output())

    def graph(self, graph: Graph) -> int:
        tensors = [self.tensor(i, t) for i, t in enumerate(graph.tensors)]
        operators = [self.once(op) for op in graph.operators]
        return self.table(
            "SubGraph",
            Tensors=self.tables("SubGraph", "Tensors", tensors),
            Inputs=self.vector(graph.inputs, np.int32),
            Outputs=self.vector(graph.outputs, np.int32),
            Operators=self.tables("SubGraph", "Operators", operators),
        )

    def tensor(self, index: int, tensor: T) -> int:
        buffer = 0
        if tensor.data is not None:
            content = np.ascontiguousarray(tensor.data, tensor.dtype).tobytes()
            if content not in self.buffers:
                self.buffers.append(content)
            buffer = self.buffers.index(content)
        fields: dict[str, object] = {
            "Shape": self.vector(tensor.shape, np.int32),
            "Type": _TYPES[tensor.dtype],
            "Buffer": buffer,
            "Name": self.b.CreateString(tensor.name or f"t{index}"),
            "IsVariable": tensor.is_variable,
        }
        if tensor.signature is not None:
            fields["ShapeSignature"] = self.vector(tensor.signature, np.int32)
        if tensor.scale is not None:
            scales = np.atleast_1d(np.array(tensor.scale, np.float32))
            fields["Quantization"] = self.table(
                "QuantizationParameters",
                Scale=self.vector(scales, np.float32),
                ZeroPoint=self.vector([tensor.zero_point] * scales.size, np.int64),
                QuantizedDimension=tensor.dimension,
            )
        if tensor.sparsity is not None:
            fields["Sparsity"] = self.sparsity(tensor.sparsity)
        return self.table("Tensor", **fields)

    def sparsity(self, sparsity: Sparsity) -> int:
        levels = [self.level(level) for level in sparsity.levels]
        return self.table(
            "SparsityParameters",
            TraversalOrder=self.vector(sparsity.order, np.int32),
            BlockMap=self.vector(sparsity.blocked, np.int32),
            DimMetadata=self.tables("SparsityParameters", "DimMetadata", levels),
        )

    def level(self, level: int | tuple[Sequence[int], Sequence[int]]) -> int:
        if isinstance(level, int):
            return self.table("DimensionMetadata", Format=0, DenseSize=level)
        kind = tflite.SparseIndexVector.Uint8Vector
        segments, indices = (
            self.table("Uint8Vector", Values=self.vector(values, np.uint8)) for values in level
        )
        return self.table(
            "DimensionMetadata",
            Format=1,
            ArraySegmentsType=kind,
            ArraySegments=segments,
            ArrayIndicesType=kind,
            ArrayIndices=indices,
        )

    def once(self, op: Op) -> int:
        """An operator that is given several times is one table with several offsets to it."""
        if id(op) not in self.written:
            self.written[id(op)] = self.operator(op)
        return self.written[id(op)]

    def operator(self, op: Op) -> int:
        code = (op.name, op.version, op.codes)
        if code not in self.codes:
            self.codes.append(code)
        fields: dict[str, object] = {
            "OpcodeIndex": self.codes.index(code),
            "Inputs": self.vector(op.inputs, np.int32),
            "Outputs": self.vector(op.outputs, np.int32),
        }
        if op.options:
            fields["BuiltinOptionsType"] = getattr(tflite.BuiltinOptions, op.options)
            fields["BuiltinOptions"] = self.table(
                op.options, **{k: self.value(v) for k, v in op.fields.items()}
            )
        if op.custom is not None:
            content = op.custom if isinstance(op.custom, bytes) else _flexbuffer(op.custom)
            fields["CustomOptions"] = self.vector(list(content), np.uint8)
        return self.table("Operator", **fields)

    def value(self, value: object) -> object:
        if isinstance(value, str):
            return self.b.CreateString(value)
        if isinstance(value, (list, tuple)):
            return self.vector(value, np.int32)
        return value

    def code(self, name: str, version: int, codes: tuple[int, int] | None) -> int:
        if not hasattr(tflite.BuiltinOperator, name):
            custom = self.b.CreateString(name)
            return self.table(
                "OperatorCode",
                DeprecatedBuiltinCode=32,
                BuiltinCode=32,
                CustomCode=custom,
                Version=version,
            )
        number = getattr(tflite.BuiltinOperator, name)
        older, newer = codes or (min(number, 127), number)
        return self.table(
            "OperatorCode",
            DeprecatedBuiltinCode=older,
            BuiltinCode=newer,
            Version=version,
        )

    def buffer(self, data: bytes) -> int:
        if not data:
            return self.table("Buffer")
        self.b.StartVector(1, len(data), _ALIGNMENT)
        self.b.head -= len(data)
        self.b.Bytes[self.b.head : self.b.head + len(data)] = data
        return self.table("Buffer", Data=self.b.EndVector())

    def vector(self, values: Sequence[float], dtype: type) -> int:
        return self.b.CreateNumpyVector(np.array(values, dtype).reshape(-1))

    def tables(self, owner: str, name: str, offsets: Sequence[int]) -> int:
        getattr(tflite, f"{owner}Start{name}Vector")(self.b, len(offsets))
        for offset in reversed(offsets):
            self.b.PrependUOffsetTRelative(offset)
        return self.b.EndVector()

    def table(self, name: str, **fields: object) -> int:
        getattr(tflite, f"{name}Start")(self.b)
        for key, value in fields.items():
            getattr(tflite, f"{name}Add{key}")(self.b, value)
        return getattr(tflite, f"{name}End")(self.b)
