"""The dialects `accel` and `memref_pool`: modules with their operations and attributes.

Importing this module registers both dialects with every `mlir.ir.Context` made later.
"""

from forebay.dialects import accel, memref_pool

__all__ = ["accel", "memref_pool"]
