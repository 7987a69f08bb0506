"""The fields of the TFLite schema's tables that the reader needs, by their slots in the file.

A slot never changes its meaning, because new fields of a table get new slots. The names are those
of the schema. The tables of operators' options are classes, see `options.py`.
"""

from __future__ import annotations

from flatbuffers import number_types as types

from forebay.frontends.tflite.file.flatbuffer import Field

# Model
SCHEMA_VERSION = Field("Version", 0, types.Uint32Flags)
OPERATOR_CODES = Field("OperatorCodes", 1)
SUBGRAPHS = Field("Subgraphs", 2)
BUFFERS = Field("Buffers", 4)

# Buffer
DATA = Field("Data", 0, types.Uint8Flags)
DATA_OFFSET = Field("Offset", 1, types.Uint64Flags)
DATA_SIZE = Field("Size", 2, types.Uint64Flags)

# OperatorCode
DEPRECATED_BUILTIN_CODE = Field("DeprecatedBuiltinCode", 0, types.Int8Flags)
CUSTOM_CODE = Field("CustomCode", 1)
OPERATOR_VERSION = Field("Version", 2, types.Int32Flags, default=1)
BUILTIN_CODE = Field("BuiltinCode", 3, types.Int32Flags)

# SubGraph
TENSORS = Field("Tensors", 0)
GRAPH_INPUTS = Field("Inputs", 1, types.Int32Flags)
GRAPH_OUTPUTS = Field("Outputs", 2, types.Int32Flags)
SUBGRAPH_OPERATORS = Field("Operators", 3)

# Tensor
SHAPE = Field("Shape", 0, types.Int32Flags)
ELEMENT_TYPE = Field("Type", 1, types.Int8Flags)
TENSOR_BUFFER = Field("Buffer", 2, types.Uint32Flags)
TENSOR_NAME = Field("Name", 3)
QUANTIZATION = Field("Quantization", 4)
IS_VARIABLE = Field("IsVariable", 5, types.BoolFlags)
SPARSITY = Field("Sparsity", 6)
SHAPE_SIGNATURE = Field("ShapeSignature", 7, types.Int32Flags)

# SparsityParameters
TRAVERSAL_ORDER = Field("TraversalOrder", 0, types.Int32Flags)
BLOCK_MAP = Field("BlockMap", 1, types.Int32Flags)
DIM_METADATA = Field("DimMetadata", 2)

# DimensionMetadata
DIMENSION_FORMAT = Field("Format", 0, types.Int8Flags)
DENSE_SIZE = Field("DenseSize", 1, types.Int32Flags)
SEGMENTS_TYPE = Field("ArraySegmentsType", 2, types.Uint8Flags)
SEGMENTS = Field("ArraySegments", 3)
INDICES_TYPE = Field("ArrayIndicesType", 4, types.Uint8Flags)
INDICES = Field("ArrayIndices", 5)

# Int32Vector, Uint16Vector, Uint8Vector
INT32_VALUES = Field("Values", 0, types.Int32Flags)
UINT16_VALUES = Field("Values", 0, types.Uint16Flags)
UINT8_VALUES = Field("Values", 0, types.Uint8Flags)

# QuantizationParameters
SCALES = Field("Scale", 2, types.Float32Flags)
ZERO_POINTS = Field("ZeroPoint", 3, types.Int64Flags)
QUANTIZED_DIMENSION = Field("QuantizedDimension", 6, types.Int32Flags)

# Operator
OPERATOR_CODE = Field("OpcodeIndex", 0, types.Uint32Flags)
OPERATOR_INPUTS = Field("Inputs", 1, types.Int32Flags)
OPERATOR_OUTPUTS = Field("Outputs", 2, types.Int32Flags)
OPTIONS_TYPE = Field("BuiltinOptionsType", 3, types.Uint8Flags)
OPTIONS = Field("BuiltinOptions", 4)
CUSTOM_OPTIONS = Field("CustomOptions", 5, types.Uint8Flags)
