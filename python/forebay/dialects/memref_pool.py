"""Operations and attributes of the dialect `memref_pool`."""

from forebay._libs._forebay import (
    CertificateAttr,
    PlacementAttr,
    RowPlacementAttr,
    RowsAttr,
    SpaceAttr,
)
from forebay.dialects._memref_pool_enum_gen import BufferKind
from forebay.dialects._memref_pool_ops_gen import (
    AddressOp,
    AllocOp,
    BufferOp,
    ConflictOp,
    CopyOp,
    PoolOp,
    ProblemOp,
    RowOp,
    SeparateOp,
)
from forebay.pools import Fill, PoolKind

__all__ = [
    "AddressOp",
    "AllocOp",
    "BufferKind",
    "BufferOp",
    "CertificateAttr",
    "ConflictOp",
    "CopyOp",
    "Fill",
    "PlacementAttr",
    "PoolKind",
    "PoolOp",
    "ProblemOp",
    "RowOp",
    "RowPlacementAttr",
    "RowsAttr",
    "SeparateOp",
    "SpaceAttr",
]
