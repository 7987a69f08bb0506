"""Shared queries on IR: each question has one function with a name.

The modules in this folder may import `dialects` only: locations, walks, op interfaces
(`interfaces`), and operators of TOSA as one value (`fused`). The subpackages build on them. None of
them imports passes, code generation or the emulator.

Internal: may change without notice.
"""

from mlir.ir import (
    register_attribute_builder,  # the generated enums of forebay.dialects import it from here
)

__all__ = ["register_attribute_builder"]
