"""Sums of int8 in one quantisation: ADD_N and CUMSUM, in TFLite's fixed point.

    sum = ((0 - zero point) << 20) / 2 + ((x - zero point) << 20) / 2 + ...
    out = sum * (2 * scale / 2**20 / scale of the result) + zero point

TFLite Micro starts at minus the zero point, not at 0; so does this.
Source: TFLite `reference/add_n.h`, `reference/cumsum.h`.
"""

from __future__ import annotations

from mlir import ir
from msgspec import Struct

from forebay.frontends.tflite.file.schema import ElementType, TfliteTensor
from forebay.frontends.tflite.kernels.scaled import centred, rescaled, saturated
from forebay.frontends.tflite.lowering.node import Node
from forebay.frontends.tflite.lowering.quantize import Multiplier
from forebay.lowering.kernels import scalar

_LEFT_SHIFT = 20


class ScaledTerms(Struct, frozen=True):
    """The arithmetic of one sum: zero points, and the factors of terms and total."""

    source: int
    target: int
    half: Multiplier
    result: Multiplier

    @classmethod
    def of(cls, node: Node, source: TfliteTensor, target: TfliteTensor) -> ScaledTerms:
        """Return the arithmetic for terms and a result in these quantisations."""
        qa, qb = node.quantization(source), node.quantization(target)
        real = 2.0 * qa.scale / ((1 << _LEFT_SHIFT) * qb.scale)
        factor = node.multiplier(real)
        if factor.exponent > 0:
            node.refuse(f"a rescaling by {real:g}, which TFLite takes below 1 only", "check scales")
        return cls(qa.zero_point, qb.zero_point, node.multiplier(0.5), factor)

    def first(self) -> ir.Value:
        """Return the value that a sum starts with."""
        start = -self.source << _LEFT_SHIFT
        return rescaled(scalar.scalar_constant(start, scalar.i32()), self.half)

    def term(self, element: ir.Value) -> ir.Value:
        """Return the term of an int8 element."""
        return rescaled(scalar.scaled(centred(element, self.source), 1 << _LEFT_SHIFT), self.half)

    def total(self, value: ir.Value) -> ir.Value:
        """Return the int8 element of a sum."""
        return saturated(rescaled(value, self.result), self.target, ElementType.INT8)
