"""Compress, and operators that are refused: results of a size that depends on data, and chance.

All of them are computed during the import if their operands are constants.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from forebay.frontends import tosa as emit
from forebay.frontends.onnx.lowering.layout import LaidOut
from forebay.frontends.onnx.lowering.node import OnnxNode
from forebay.frontends.onnx.lowering.part import part_of
from forebay.frontends.onnx.lowering.registry import document_onnx, onnx_operator

document_onnx("Compress", types="all", limits="a constant condition", golden="bits")
document_onnx(
    *("NonMaxSuppression", "NonZero", "Unique"),
    types="constants",
    limits="refused for data: the size of the result depends on it",
    golden="bits",
)
document_onnx(
    *("Bernoulli", "Multinomial", "RandomNormal", "RandomNormalLike"),
    *("RandomUniform", "RandomUniformLike"),
    types="",
    limits="refused: a result of chance",
    golden="",
)


@onnx_operator("Compress")
def compress(node: OnnxNode) -> Sequence[LaidOut]:
    """Lower the elements along an axis for which a constant is true."""
    kept = np.flatnonzero(node.constant(1))
    operand, axis = node.operand(0), node.attribute("axis", None)
    if axis is None:
        size = int(np.prod(operand.shape, dtype=np.int64))
        operand, axis = LaidOut(emit.tosa_reshape(operand.logical(), (size,))), 0
    axis = node.axis(int(axis), len(operand.shape))
    if kept.size < 1 or kept[-1] >= operand.shape[axis]:
        node.refuse(f"{kept.size} of {operand.shape[axis]} elements", "keep one at least")
    runs = np.split(kept, np.flatnonzero(np.diff(kept) > 1) + 1)
    parts = [part_of(operand, {axis: (int(run[0]), len(run))}).logical() for run in runs]
    return [LaidOut(emit.tosa_concat(parts, axis))]


@onnx_operator("NonMaxSuppression", "NonZero", "Unique")
def data_dependent_size(node: OnnxNode) -> Sequence[LaidOut]:
    """Refuse a result whose size is not known before the inference."""
    node.refuse(
        "a result whose size depends on data",
        "end the network in front of it, or use TopK or Where, whose results have a known size",
    )


@onnx_operator(
    *("Bernoulli", "Multinomial", "RandomNormal", "RandomNormalLike"),
    *("RandomUniform", "RandomUniformLike"),
)
def chance(node: OnnxNode) -> Sequence[LaidOut]:
    """Refuse a result that differs in each inference."""
    node.refuse("a result of chance", "make it an input of the network")
