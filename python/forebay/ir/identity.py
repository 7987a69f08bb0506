"""A key for an operation that stays the same while the operation changes.

`hash(op)` of the bindings is structural: it changes with the operands and attributes. A table that
outlives a rewrite needs another key.
"""

from __future__ import annotations

import ctypes

from mlir import ir

_NAME = b"mlir.ir.Operation._CAPIPtr"
_pointer = ctypes.pythonapi.PyCapsule_GetPointer
_pointer.restype = ctypes.c_void_p
_pointer.argtypes = (ctypes.py_object, ctypes.c_char_p)


def identity_of(op: ir.OpView | ir.Operation) -> int:
    """Return the address of an operation, unique among those that exist at the same time."""
    return int(_pointer(op.operation._CAPIPtr, _NAME))  # pyright: ignore[reportPrivateUsage]
