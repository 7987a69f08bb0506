"""The declaration of an intrinsic with a computation: operands, scalars, layouts, limits."""

from __future__ import annotations

from collections.abc import Container, Mapping, Sequence
from typing import Literal

from forebay.computations.computation import Computation
from forebay.computations.layout import OperandLayout, common_blocks
from forebay.errors import Error
from forebay.tiling import TileLimit

Limit = TileLimit | Container[int]
"""The sizes of tiles in a dimension, or the values that another scalar may have."""


class DeclarationError(Error):
    """A mistake in a declaration; the message continues the intrinsic's name."""


def usual_operands(computation: Computation) -> Mapping[str, Literal["in", "out"]]:
    """Return the access of each operand of an intrinsic that names none."""
    return {
        name: "out" if name in computation.outputs else "in"
        for name in computation.usual_operands()
    }


def usual_scalars(computation: Computation, operands: Sequence[str]) -> tuple[str, ...]:
    """Return all scalars but those in whose place an operand has a number per channel."""
    replaced = {computation.tables[name] for name in operands if name in computation.tables}
    return tuple(name for name in computation.scalars() if name not in replaced)


def layouts_of(
    computation: Computation, operands: Sequence[str], layouts: Mapping[str, str]
) -> dict[str, OperandLayout]:
    """Return the layout of each operand; raises `DeclarationError`."""
    for name in layouts:
        if name not in operands:
            raise DeclarationError(
                f"has the layout of '{name}', which is none of its operands {', '.join(operands)}"
            )
    found: dict[str, OperandLayout] = {}
    for name in operands:
        axes = computation.axes[name]
        try:
            found[name] = (
                OperandLayout.of(layouts[name], axes)
                if name in layouts
                else OperandLayout.dense(axes)
            )
        except ValueError as error:
            raise DeclarationError(
                f"has the layout '{layouts[name]}' of '{name}': {error}"
            ) from error
        for axis in found[name].blocks:
            if axis in computation.sliding:
                raise DeclarationError(
                    f"has '{name}' in blocks along '{axis}', where a window slides; only "
                    "dimensions may be in blocks"
                )
    try:
        common_blocks(list(found.values()))
    except ValueError as error:
        raise DeclarationError(f"has layouts that do not fit to each other: {error}") from error
    return found


def check_operands(computation: Computation, operands: Mapping[str, str]) -> None:
    """Raise `DeclarationError` unless operands and their accesses are those of the computation."""
    for name, access in operands.items():
        if name not in computation.axes:
            raise DeclarationError(
                f"has the operand '{name}', but the operands of a {computation.title} are "
                f"{', '.join(computation.axes)}"
            )
        allowed = "out" if name in computation.outputs else "in"
        if name != computation.sums and access != allowed:
            raise DeclarationError(f"has '{name}' with access '{access}', but it is '{allowed}'")
    reduced = computation.reduced_operands()
    is_end = operands.get(computation.sums or "") == "in" and not set(reduced) & set(operands)
    for name in (*(() if is_end else reduced), *computation.needed_operands()):
        if name not in operands:
            raise DeclarationError(f"lacks the operand '{name}' of a {computation.title}")
    written = [name for name, access in operands.items() if access != "in"]
    if len(written) != 1:
        raise DeclarationError(
            f"writes {' and '.join(written) or 'no operand'}; a call writes its result or the sums "
            "of a part, one of both"
        )


def check_scalars(computation: Computation, scalars: Sequence[str]) -> None:
    """Raise `DeclarationError` unless the scalars are those of the computation."""
    known = computation.scalars()
    for name in scalars:
        if name not in known:
            raise DeclarationError(
                f"has the scalar '{name}', but the scalars of a {computation.title} are "
                f"{', '.join(known)}"
            )
    for name, default in known.items():
        if default is None and name not in scalars:
            raise DeclarationError(f"lacks the scalar '{name}' of a {computation.title}")


def check_limits(
    computation: Computation, limits: Mapping[str, Limit], layouts: Mapping[str, OperandLayout]
) -> None:
    """Raise `DeclarationError` unless each limit is of a dimension or scalar, and of its kind."""
    dimensions = (*computation.parallel, *computation.reduction)
    blocks = common_blocks(list(layouts.values()))
    for name, limit in limits.items():
        if name not in dimensions and name not in computation.scalars():
            raise DeclarationError(
                f"limits '{name}', which is no dimension ({', '.join(dimensions)}) and no other "
                f"scalar of a {computation.title}"
            )
        if isinstance(limit, TileLimit) != (name in dimensions):
            kind = "a TileLimit" if name in dimensions else "the values that it may have"
            raise DeclarationError(f"limits '{name}' by {limit}; its limit is {kind}")
        if isinstance(limit, TileLimit):
            block, most = blocks.get(name, 1), limit.most
            if (most is not None and most < block) or max(limit.multiple, block) % min(
                limit.multiple, block
            ):
                raise DeclarationError(
                    f"limits '{name}' by {limit}, which does not fit to its blocks of {block}"
                )
