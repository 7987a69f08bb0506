"""Operations and attributes of the dialect `accel`."""

from forebay._libs._forebay import OperandAttr
from forebay.dialects._accel_ops_gen import CallOp, DeviceOp, IntrinsicOp, ReduceOp, YieldOp

__all__ = ["CallOp", "DeviceOp", "IntrinsicOp", "OperandAttr", "ReduceOp", "YieldOp"]
