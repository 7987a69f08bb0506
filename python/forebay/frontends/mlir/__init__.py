"""The front end for `.mlir` files: TOSA or linalg on tensors, imported without change.

`text` checks the bytes, `entry` finds the function to compile, `shapes` fixes dynamic shapes.
`forebay.ir.supported` defines the operations and types that a program may use.

Internal: may change without notice.
"""

from forebay.frontends.mlir.importer import import_mlir

__all__ = ["import_mlir"]
