"""The state that is in rings, and the bytes of weights that are there twice for it."""

from __future__ import annotations

from mlir import ir
from mlir.dialects import memref
from mlir.dialects.builtin import ModuleOp
from msgspec import Struct

from forebay.ir.interleaved import model_shape_of, repeats_model
from forebay.ir.machine.pools import bytes_of
from forebay.ir.module import ops_in_body
from forebay.ir.state.ring_order import ring_order_of


class StateRings(Struct, frozen=True):
    """The number of variables whose rows do not move, and the bytes that this costs."""

    variables: int = 0
    repeated_bytes: int = 0

    def __str__(self) -> str:
        noun = "variable is a ring" if self.variables == 1 else "variables are rings"
        return (
            f"{self.variables:,} {noun}, whose rows never move: {self.repeated_bytes:,} bytes of "
            "weights are there twice"
        )


def state_rings_in(module: ModuleOp) -> StateRings:
    """Return the rings among the variables of a module, whose buffers are in pools."""
    own = ops_in_body(module, memref.GlobalOp)
    rings = sum(ring_order_of(op) is not None for op in own)
    return StateRings(rings, sum(map(_repeated_bytes, own)))


def _repeated_bytes(op: memref.GlobalOp) -> int:
    shape = model_shape_of(op) if repeats_model(op) else None
    if shape is None:
        return 0
    type_ = ir.MemRefType(ir.TypeAttr(op.type_).value)
    return bytes_of(type_) - bytes_of(ir.MemRefType.get(list(shape), type_.element_type))
