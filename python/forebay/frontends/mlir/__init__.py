"""Front end for `.mlir` files: TOSA or linalg on tensors, taken as they are.

`text` looks at the bytes, `entry` finds the function to compile, `shapes` fixes dynamic ones; what
a program may consist of says `forebay.ir.supported`.
"""

from forebay.frontends.mlir.importer import import_mlir

__all__ = ["import_mlir"]
