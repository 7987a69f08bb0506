"""Comments that name the model's operator from which the code comes."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec.structs import replace

from forebay.codegen.c.syntax.text import comment_text
from forebay.ir.locations import OperatorLocation


def operator_comment(operator: OperatorLocation, others: Sequence[OperatorLocation] = ()) -> str:
    """Return the comment `/* 3 CONV_2D conv1/Relu */`, with `; also 5, 7` for `others`."""
    indices = ", ".join(str(it.index) for it in others)
    also = f"; also {indices}" if others else ""
    return f"/* {comment_text(operator_text(operator))}{also} */"


def operator_text(operator: OperatorLocation) -> str:
    """Return `3 CONV_2D conv1/Relu`; of several fused tensor names only the first is kept."""
    first, *others = operator.tensor.split(";")
    return str(replace(operator, tensor=f"{first}; ..." if others else first))
