"""Wrappers: C functions of intrinsics that call functions of a library."""

from __future__ import annotations

from mlir import ir
from msgspec import Struct

from forebay.dialects import accel

_ATTRIBUTE = "accel.wrapper"


class Wrapper(Struct, frozen=True):
    """The C function of an intrinsic, as calls of a library: `<model>_wrappers.c` defines it.

    `body` is C99, the statements between the function's braces. Its parameters have the names of
    the intrinsic's operands and scalars, and it returns the status: 0, or an error code. `headers`
    declare what it uses: `"arm_nnfunctions.h"`, or `"<string.h>"` for a system header.
    """

    body: str
    headers: tuple[str, ...] = ()


def attach_wrapper(intrinsic: accel.IntrinsicOp, wrapper: Wrapper) -> None:
    """Write the wrapper as an attribute of the intrinsic."""
    headers = ir.ArrayAttr.get([ir.StringAttr.get(header) for header in wrapper.headers])
    body = ir.StringAttr.get(wrapper.body)
    intrinsic.attributes[_ATTRIBUTE] = ir.DictAttr.get({"body": body, "headers": headers})


def wrapper_of(intrinsic: accel.IntrinsicOp) -> Wrapper | None:
    """Return the wrapper of an intrinsic, or None if a driver defines its C function."""
    if _ATTRIBUTE not in intrinsic.attributes:
        return None
    found = ir.DictAttr(intrinsic.attributes[_ATTRIBUTE])
    headers = tuple(ir.StringAttr(header).value for header in ir.ArrayAttr(found["headers"]))
    return Wrapper(ir.StringAttr(found["body"]).value, headers)
