"""Operations and attributes of the dialect `accel`."""

from forebay._libs._forebay import OperandAttr, TokenType
from forebay.dialects._accel_ops_gen import (
    CallOp,
    DeviceOp,
    DotOp,
    IntrinsicOp,
    LaunchOp,
    MoveOp,
    QueueOp,
    ReduceOp,
    StartOp,
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
    "MoveOp",
    "OperandAttr",
    "QueueOp",
    "ReduceOp",
    "StartOp",
    "TokenType",
    "TransferOp",
    "WaitOp",
    "YieldOp",
]
