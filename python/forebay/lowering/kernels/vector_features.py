"""Instructions on vectors that a processor has, and of which LLVM has no general form."""

from __future__ import annotations

from typing import Literal

from msgspec import Struct

ByteProducts = Literal["none", "vpdpbusd", "sdot"]
"""The instruction that adds products of bytes to sums of 32 bits."""


class VectorFeatures(Struct, frozen=True):
    """What the lowering of vectors to LLVM may use.

    With `masked_loads` one instruction loads some elements of a vector of bytes, without access to
    the others; elsewhere LLVM makes a branch for each element. With `rounded_products` one
    instruction of AArch64 doubles a product and rounds its upper 32 bits, and another one rounds
    what it shifts.
    """

    masked_loads: bool = False
    byte_products: ByteProducts = "none"
    rounded_products: bool = False
