"""Questions about IR, each asked once and with a name."""

from mlir.ir import (
    register_attribute_builder,  # the generated enums of forebay.dialects want it here
)

__all__ = ["register_attribute_builder"]
