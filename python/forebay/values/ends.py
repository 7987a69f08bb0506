"""The last ops of the kernels that compute tensors, to detect kernels that lost their end.

If the end of an operator is fused into its user, the rest of the operator still writes a buffer of
the tensor's shape, but the buffer does not hold the tensor.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from mlir import ir

from forebay.dialects import accel, linalg
from forebay.ir.interfaces import is_slice, source_of_tensor_view
from forebay.ir.locations import ModelLocation, model_location_of
from forebay.values.observed import Observed


def ends_of(lowered: Observed) -> Mapping[ModelLocation, str]:
    """Return the name of the last op for each tensor that a kernel of a lowered model computes."""
    origins = (tensor.origin for tensor in lowered.tensors)
    ends = {o: _end_of(v, o) for o, v in zip(origins, lowered.returned, strict=True)}
    return {origin: end for origin, end in ends.items() if end is not None}


def end_of_kernel(kernel: ir.OpView) -> str | None:
    """Return the name of the op that computes a kernel's elements.

    Returns None for an op that is no kernel, and for a kernel that passes elements on unchanged.
    """
    if not isinstance(kernel, accel.ReduceOp | linalg.GenericOp):
        return None
    *_, handed = kernel.regions[len(kernel.regions) - 1].blocks[0].operations
    owner: Any = handed.operands[0].owner
    return None if isinstance(owner, ir.Block) else owner.operation.name


def _end_of(value: ir.Value, origin: ModelLocation) -> str | None:
    while (source := source_of_tensor_view(value)) is not None and not is_slice(value.owner):
        value = source
    owner: Any = value.owner
    if isinstance(owner, ir.Block) or model_location_of(owner.location) != origin:
        return None
    return end_of_kernel(owner.operation.opview)
