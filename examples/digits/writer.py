"""Write parts of a flatbuffer by the `tflite` schema package: tables, and vectors by kind."""

import flatbuffers
import numpy as np
import tflite
from numpy.typing import NDArray

DATA_ALIGNMENT = 16  # the alignment that readers of TFLite expect of a buffer's bytes


def table(builder: flatbuffers.Builder, kind: str, **fields: float) -> int:
    """Write a table of the schema, e.g. `table(b, "Tensor", Shape=shape, Type=9)`."""
    getattr(tflite, f"{kind}Start")(builder)
    for name, value in fields.items():
        getattr(tflite, f"{kind}Add{name}")(builder, value)
    return getattr(tflite, f"{kind}End")(builder)


def offsets(builder: flatbuffers.Builder, tables: list[int]) -> int:
    """Write a vector of tables that have been written before."""
    builder.StartVector(4, len(tables), 4)
    for offset in reversed(tables):
        builder.PrependUOffsetTRelative(offset)
    return builder.EndVector()


def ints(builder: flatbuffers.Builder, values: list[int] | tuple[int, ...]) -> int:
    """Write a vector of int32."""
    return builder.CreateNumpyVector(np.array(values, np.int32))


def aligned_bytes(builder: flatbuffers.Builder, data: NDArray[np.generic]) -> int:
    """Write the array's bytes, little-endian and row-major, as an aligned byte vector."""
    payload = data.astype(data.dtype.newbyteorder("<")).tobytes()
    builder.Prep(DATA_ALIGNMENT, len(payload))
    return builder.CreateByteVector(payload)
