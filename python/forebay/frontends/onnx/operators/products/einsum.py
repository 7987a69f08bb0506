"""Einsum of one or two operands: one `accel.reduce`, whose access maps are the subscripts."""

from __future__ import annotations

from collections.abc import Sequence

from mlir import ir

from forebay.frontends import tosa as emit
from forebay.frontends.onnx.lowering.layout import LaidOut
from forebay.frontends.onnx.lowering.node import OnnxNode
from forebay.frontends.onnx.lowering.registry import document_onnx, onnx_operator
from forebay.lowering.kernels import scalar
from forebay.lowering.kernels.reduce import (
    KernelDomain,
    ReduceKernel,
    ReduceOperand,
    Scalars,
    affine_dimensions,
    build_reduce,
    sum_kernel,
)

document_onnx(
    "Einsum",
    types="float32, int32",
    limits="one or two operands, each letter once in a term, no ellipsis",
    golden="1e-6; int32: bits",
)


@onnx_operator("Einsum")
def einsum(node: OnnxNode) -> Sequence[LaidOut]:
    """Lower the sums of products over the letters that the result lacks."""
    terms, result = _terms(node)
    sizes = _sizes(node, terms)
    if not set(result) <= set(sizes) or len(set(result)) != len(result):
        node.malformed(f"the result {result} of {', '.join(terms)}")
    types = {node.dtype(i) for i in range(node.arity)}
    if node.dtype(0).name not in ("float32", "int32") or len(types) > 1:
        node.refuse(f"operands of {node.dtype(0).name}", "float32 and int32 are supported")
    summed = [letter for letter in sizes if letter not in result]
    letters = [*result, *summed]
    dims = dict(zip(letters, affine_dimensions(len(letters)), strict=True))
    shape = tuple(sizes[letter] for letter in result)
    element = emit.element_of(node.value(0))
    value = build_reduce(
        KernelDomain(shape, tuple(sizes[letter] for letter in summed)),
        _products(element),
        ins=[
            ReduceOperand(node.value(i), tuple(dims[letter] for letter in term))
            for i, term in enumerate(terms)
        ],
        params=[],
        out=tuple(dims[letter] for letter in result),
        result=emit.tensor_type(shape, element),
    )
    return [LaidOut(value)]


def _terms(node: OnnxNode) -> tuple[list[str], str]:
    """Return the subscripts of the operands and of the result."""
    equation = str(node.attribute("equation", "")).replace(" ", "")
    left, arrow, right = equation.partition("->")
    terms = left.split(",")
    if "." in equation or any(len(set(term)) != len(term) for term in terms) or len(terms) > 2:
        node.refuse(f"the equation {equation}", "one or two operands, each letter once, are")
    if len(terms) != node.arity:
        node.malformed(f"the equation {equation} of {node.arity} operands")
    once = sorted(letter for letter in {*left} - {","} if left.count(letter) == 1)
    return terms, right if arrow else "".join(once)


def _sizes(node: OnnxNode, terms: Sequence[str]) -> dict[str, int]:
    sizes: dict[str, int] = {}
    for i, term in enumerate(terms):
        shape = node.shape(i)
        fits = len(term) == len(shape)
        if not fits or any(sizes.setdefault(k, d) != d for k, d in zip(term, shape, strict=True)):
            node.malformed(f"an operand of shape {list(shape)} for the term {term}")
    return sizes


def _products(element: ir.Type) -> ReduceKernel:
    def term(ins: Scalars) -> ir.Value:
        return ins[0] if len(ins) == 1 else scalar.multiply(ins[0], ins[1])

    return sum_kernel(element, term)
