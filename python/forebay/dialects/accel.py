"""Operations of the dialect `accel`."""

from forebay.dialects._accel_ops_gen import DeviceOp, ReduceOp, YieldOp

__all__ = ["DeviceOp", "ReduceOp", "YieldOp"]
