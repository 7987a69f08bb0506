"""Operations and attributes of the dialect `accel`."""

from forebay._libs._forebay import OperandAttr, TokenType
from forebay.dialects._accel_ops_gen import (
    CallOp,
    DeviceOp,
    DotOp,
    IntrinsicOp,
    LaunchOp,
    LoadBetweenOp,
    LoadExtendedOp,
    MoveOp,
    MultiplyAddOp,
    QueueOp,
    ReduceOp,
    StartOp,
    StoreRescaledOp,
    TransferOp,
    WaitOp,
    YieldOp,
)

__all__ = [
    "CallOp",
    "DeviceOp",
    "DotOp",
    "IntrinsicOp",
    "LaunchOp",
    "LoadBetweenOp",
    "LoadExtendedOp",
    "MoveOp",
    "MultiplyAddOp",
    "OperandAttr",
    "QueueOp",
    "ReduceOp",
    "StartOp",
    "StoreRescaledOp",
    "TokenType",
    "TransferOp",
    "WaitOp",
    "YieldOp",
]
