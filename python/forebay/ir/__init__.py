"""Questions about IR, each asked once and with a name.

The modules in this folder need no other package: locations, walks, operators of TOSA as one value
(`fused`). The subpackages build on them; none imports passes, code generation or the emulator.
"""

from mlir.ir import (
    register_attribute_builder,  # the generated enums of forebay.dialects want it here
)

__all__ = ["register_attribute_builder"]
