"""Operations and attributes of the dialect `memref_pool`."""

from forebay._libs._forebay import CertificateAttr, PlacementAttr, SpaceAttr
from forebay.dialects._memref_pool_enum_gen import PoolKind
from forebay.dialects._memref_pool_ops_gen import AllocOp, CopyOp, PoolOp

__all__ = [
    "AllocOp",
    "CertificateAttr",
    "CopyOp",
    "PlacementAttr",
    "PoolKind",
    "PoolOp",
    "SpaceAttr",
]
