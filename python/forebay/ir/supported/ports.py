"""Checks of the arguments and results of entry functions."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from mlir import ir

from forebay.dialects.memref_pool import SpaceAttr
from forebay.ir.supported.finding import Finding
from forebay.ir.supported.types import ELEMENTS, refusal_of

DTYPE = "accel.dtype"


def port_findings(
    name: str, type_: ir.Type, attributes: Mapping[str, ir.Attribute], location: ir.Location
) -> Iterator[Finding]:
    """Yield what is wrong with an argument or result of an entry function; `name` is for messages.

    Types that are wrong everywhere are findings of `types` and not repeated here.
    """
    reason = _reason(type_)
    if reason is not None:
        yield Finding(location, f"{name} is {type_}: {reason}")
    dtype = attributes.get(DTYPE)
    if isinstance(dtype, ir.StringAttr) and isinstance(type_, ir.ShapedType):
        names = _numpy_names(type_.element_type)
        if names and dtype.value not in names:
            yield Finding(
                location,
                f"{DTYPE} of {name}, {type_}, is '{dtype.value}'; it may be {' or '.join(names)}",
            )


def _reason(type_: ir.Type) -> str | None:
    if isinstance(type_, ir.UnrankedTensorType | ir.UnrankedMemRefType):
        return None
    if isinstance(type_, ir.RankedTensorType):
        return _reason_of_tensor(type_)
    if isinstance(type_, ir.MemRefType):
        return _reason_of_memref(type_)
    return (
        "an entry function takes and gives tensors or memrefs of a static shape, of "
        f"{ELEMENTS}; make a scalar a tensor of one element (tensor.extract, tensor.from_elements)"
    )


def _reason_of_tensor(type_: ir.RankedTensorType) -> str | None:
    if type_.encoding is None:
        return None
    return "its encoding would be lost; say memref_pool.candidates to name pools"


def _reason_of_memref(type_: ir.MemRefType) -> str | None:
    if refusal_of(type_, is_tosa=False) is not None:
        return None
    if not type_.has_static_shape:
        return "memory of the caller needs a static shape"
    if type_.affine_map != ir.AffineMap.get_identity(type_.rank):
        return "the caller hands over memory without gaps; leave out the layout"
    if type_.memory_space is not None and not isinstance(type_.memory_space, SpaceAttr):
        return "the caller's memory has no space; a pool's is #memref_pool.space<...>"
    return None


def _numpy_names(element: ir.Type) -> tuple[str, ...]:
    if isinstance(element, ir.IntegerType):
        width = element.width
        return ("bool",) if width == 1 else (f"int{width}", f"uint{width}")
    return (f"float{element.width}",) if isinstance(element, ir.FloatType) else ()
