"""Read the bytes of a `.tflite` file into checked, frozen data."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from forebay.frontends.errors import MalformedModel, UnsupportedModel
from forebay.frontends.tflite.file import enumerations, fields
from forebay.frontends.tflite.file.flatbuffer import Field, Table, root
from forebay.frontends.tflite.file.options import OperatorOptions
from forebay.frontends.tflite.file.schema import (
    ABSENT,
    ElementType,
    Model,
    Subgraph,
    TfliteOperator,
    TfliteQuantization,
    TfliteTensor,
)

_SCHEMA_VERSION = 3
_MAX_RANK = 8
_MAX_BYTES = 2**31 - 1
_OPERATORS = dict(enumerate(enumerations.OPERATOR_NAMES))
_OPTIONS = dict(enumerate(enumerations.OPTIONS_NAMES))
_TYPES = dict(enumerate(enumerations.ELEMENT_TYPES))
_ELEMENTS = {e.name: e for e in ElementType}


def read_model(file: bytes, file_name: str, declare: Callable[[str], object]) -> Model:
    """Read a file, with the options of which a class has been imported.

    `declare` is called with the name of each kind of operator before options are read, to import
    the class of its options.

    Raises `MalformedModel` or `UnsupportedModel`, prefixed by the file's name.
    """
    try:
        return Model(file_name, len(file), _subgraphs(root(file), declare))
    except MalformedModel as error:
        raise MalformedModel(error.what, file_name) from error
    except UnsupportedModel as error:
        raise UnsupportedModel(error.what, file_name) from error


def _subgraphs(model: Table, declare: Callable[[str], object]) -> tuple[Subgraph, ...]:
    version = model.integer(fields.SCHEMA_VERSION)
    if version != _SCHEMA_VERSION:
        raise UnsupportedModel(
            f"schema version {version}; only version {_SCHEMA_VERSION} is supported. "
            "Convert the model again with a current TFLite converter"
        )
    buffers = [_buffer(i, table) for i, table in enumerate(model.tables(fields.BUFFERS))]
    codes = [_operator_code(table) for table in model.tables(fields.OPERATOR_CODES)]
    for name, _ in codes:
        declare(name)
    subgraphs = tuple(_subgraph(table, buffers, codes) for table in model.tables(fields.SUBGRAPHS))
    if not subgraphs:
        raise MalformedModel("the model has no subgraph")
    return subgraphs


def _buffer(index: int, table: Table) -> NDArray[np.uint8]:
    if table.integer(fields.DATA_OFFSET) > 1 or table.integer(fields.DATA_SIZE) > 1:
        raise UnsupportedModel(
            f"buffer {index} lies outside the flatbuffer (a model of 2 GiB and more); "
            "use a model whose weights are inside"
        )
    return table.data(fields.DATA)


def _operator_code(table: Table) -> tuple[str, int]:
    # As in LiteRT, the larger code is valid: codes above 127 do not fit into the older field, and a
    # file may set only one field.
    code = max(table.integer(fields.BUILTIN_CODE), table.integer(fields.DEPRECATED_BUILTIN_CODE))
    name = _OPERATORS.get(code, f"BUILTIN_{code}")
    if name == "CUSTOM":
        name = table.text(fields.CUSTOM_CODE) or name
    return name, table.integer(fields.OPERATOR_VERSION)


def _subgraph(
    table: Table, buffers: list[NDArray[np.uint8]], codes: list[tuple[str, int]]
) -> Subgraph:
    tensors = tuple(_tensor(i, t, buffers) for i, t in enumerate(table.tables(fields.TENSORS)))
    count = len(tensors)
    return Subgraph(
        tensors,
        _indices(table, fields.GRAPH_INPUTS, count, optional=False),
        _indices(table, fields.GRAPH_OUTPUTS, count, optional=False),
        tuple(
            _operator(i, t, count, codes)
            for i, t in enumerate(table.tables(fields.SUBGRAPH_OPERATORS))
        ),
    )


def _tensor(index: int, table: Table, buffers: list[NDArray[np.uint8]]) -> TfliteTensor:
    name = table.text(fields.TENSOR_NAME) or f"tensor_{index}"
    number = table.integer(fields.ELEMENT_TYPE)
    type_name = _TYPES.get(number, f"type {number}")
    element = _ELEMENTS.get(type_name, ElementType.OTHER)
    shape = _shape(name, table, element)
    buffer = table.integer(fields.TENSOR_BUFFER)
    if not 0 <= buffer < len(buffers):
        raise MalformedModel(f"tensor '{name}' names buffer {buffer} of {len(buffers)}")
    return TfliteTensor(
        index,
        name,
        element,
        type_name,
        shape,
        _quantization(name, table.table(fields.QUANTIZATION)),
        _elements(name, buffers[buffer], element, shape, table.table(fields.SPARSITY)),
        bool(table.integer(fields.IS_VARIABLE)),
        is_dynamic=-1 in table.integers(fields.SHAPE_SIGNATURE),
    )


def _shape(name: str, table: Table, element: ElementType) -> tuple[int, ...]:
    shape = table.integers(fields.SHAPE)
    if len(shape) > _MAX_RANK:
        raise UnsupportedModel(
            f"tensor '{name}' has rank {len(shape)}; at most {_MAX_RANK} is supported. "
            "Merge dimensions of it with a reshape"
        )
    if any(d < -1 for d in shape):
        raise MalformedModel(f"tensor '{name}' has a negative dimension: {list(shape)}")
    size = math.prod(max(d, 1) for d in shape) * max(element.bytes, 1)
    if size > _MAX_BYTES:
        raise UnsupportedModel(
            f"tensor '{name}' has {size:,} bytes; at most {_MAX_BYTES:,} are supported. "
            "Use a smaller input"
        )
    return shape


def _elements(
    name: str,
    data: NDArray[np.uint8],
    element: ElementType,
    shape: tuple[int, ...],
    sparsity: Table | None,
) -> NDArray[np.generic] | None:
    if element.bytes == 0 or (data.size == 0 and sparsity is None):
        return None
    if sparsity is not None:
        from forebay.frontends.tflite.file.sparsity import dense_elements  # noqa: PLC0415

        stored = data[: data.size // element.bytes * element.bytes].view(element.value)
        return dense_elements(name, sparsity, stored, shape)
    size = math.prod(shape) * element.bytes
    if data.size != size:
        raise MalformedModel(
            f"tensor '{name}' of shape {list(shape)} and type {element.value} has {size:,} bytes, "
            f"but its buffer has {data.size:,}"
        )
    return data.view(element.value).reshape(shape)


def _quantization(name: str, table: Table | None) -> TfliteQuantization | None:
    if table is None:
        return None
    scales = table.numbers(fields.SCALES)
    if not scales:
        return None
    zero_points = table.integers(fields.ZERO_POINTS) or (0,) * len(scales)
    if len(zero_points) != len(scales):
        raise MalformedModel(
            f"tensor '{name}' has {len(scales)} scales and {len(zero_points)} zero points"
        )
    if not all(math.isfinite(s) and s >= 0 for s in scales):
        raise MalformedModel(f"tensor '{name}' has a scale that is negative or not finite")
    if not all(-(2**31) <= z < 2**31 for z in zero_points):
        raise MalformedModel(f"tensor '{name}' has a zero point outside 32 bits")
    # Old converters give a bias the dimension of its weights, so only weights are checked for it.
    return TfliteQuantization(scales, zero_points, table.integer(fields.QUANTIZED_DIMENSION))


def _operator(
    index: int, table: Table, tensors: int, codes: list[tuple[str, int]]
) -> TfliteOperator:
    code = table.integer(fields.OPERATOR_CODE)
    if not 0 <= code < len(codes):
        raise MalformedModel(f"operator {index} names operator code {code} of {len(codes)}")
    name, version = codes[code]
    return TfliteOperator(
        index,
        name,
        version,
        _indices(table, fields.OPERATOR_INPUTS, tensors, optional=True),
        _indices(table, fields.OPERATOR_OUTPUTS, tensors, optional=False),
        _options(table),
        table.data(fields.CUSTOM_OPTIONS).tobytes(),
    )


def _options(operator: Table) -> OperatorOptions | None:
    name = _OPTIONS.get(operator.integer(fields.OPTIONS_TYPE), "")
    cls = next((kind for kind in OperatorOptions.__subclasses__() if kind.__name__ == name), None)
    table = operator.table(fields.OPTIONS) if cls else None
    return table.options(cls) if cls and table else None


def _indices(table: Table, field: Field, tensors: int, *, optional: bool) -> tuple[int, ...]:
    indices = table.integers(field)
    lowest = ABSENT if optional else 0
    for index in indices:
        if not lowest <= index < tensors:
            raise MalformedModel(f"'{field.name}' names tensor {index} of {tensors}")
    return indices
