"""Regions: which boxes of its operands a part of an operator accesses, and what they suffice for.

Imports nothing else of Forebay and no MLIR.
Gives boxes, affine expressions, loop nests with their access maps, the exact region of each operand
for a box of the domain or of the result, the inverse of that, and cuts of boxes into tiles.

Public as `forebay.api.regions`; the rest may change without notice.
"""

from forebay.regions.affine import Affine, Quotient
from forebay.regions.box import Box, Span
from forebay.regions.computable import computable_box
from forebay.regions.loop_nest import LoopNest, OperandAccess, induction_variables
from forebay.regions.operand_region import (
    OperandRegion,
    Padding,
    input_boxes,
    input_regions,
    inputs_of,
    output_boxes,
    output_regions,
)
from forebay.regions.point_set import Constraint, PointSet
from forebay.regions.tiles import (
    cuts,
    even_sizes,
    first_overlap,
    is_partition,
    tiles,
    uncovered,
)

__all__ = [
    "Affine",
    "Box",
    "Constraint",
    "LoopNest",
    "OperandAccess",
    "OperandRegion",
    "Padding",
    "PointSet",
    "Quotient",
    "Span",
    "computable_box",
    "cuts",
    "even_sizes",
    "first_overlap",
    "induction_variables",
    "input_boxes",
    "input_regions",
    "inputs_of",
    "is_partition",
    "output_boxes",
    "output_regions",
    "tiles",
    "uncovered",
]
