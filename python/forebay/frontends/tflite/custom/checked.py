"""Call the lowering of a user's operator, and check what it returns."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from mlir import ir
from msgspec.structs import replace

from forebay.errors import Error
from forebay.frontends.tflite.custom.compare import compare
from forebay.frontends.tflite.lowering import emit
from forebay.frontends.tflite.lowering.node import Node
from forebay.frontends.tflite.lowering.registry import Lower, OperatorLowering, Result
from forebay.support.user_code import CodeLocation, error_summary, location_of


class OperatorLoweringError(Error):
    """The lowering of a user's operator fails, or returns what the operator cannot have."""


def checked(operator: OperatorLowering) -> OperatorLowering:
    """Return the operator with a lowering that reports mistakes at the user's line.

    The results are compared with those of the NumPy form, if the operator has one.
    """

    def lower(node: Node) -> Sequence[Result]:
        results = _results(operator.lower, node)
        if operator.reference is not None:
            compare(operator.reference, operator.lower, node, _where(operator.reference))
        return results

    return replace(operator, lower=lower)


def _where(function: Any) -> str:
    """Return file and line of a function."""
    code = getattr(function, "__code__", None)
    return str(CodeLocation(code.co_filename, code.co_firstlineno)) if code else repr(function)


def _results(lower: Lower, node: Node) -> Sequence[Result]:
    try:
        results = list(lower(node))
    except Error:
        raise
    except Exception as error:
        place = location_of(error) or _where(lower)
        raise OperatorLoweringError(
            f"{place}: {error_summary(error)}, in the lowering of {node.described}"
        ) from error
    wanted = [emit.mlir_type_of(tensor.type) for tensor in node.outputs]
    given = [_element_of(result) for result in results]
    if given != wanted:
        raise OperatorLoweringError(
            f"{_where(lower)}: the lowering of {node.described} returns {_listed(given)}; "
            f"the results in the file are {_listed(wanted)}"
        )
    return results


def _element_of(result: object) -> ir.Type | None:
    is_tensor = isinstance(result, ir.Value) and isinstance(result.type, ir.RankedTensorType)
    return emit.element_of(result) if is_tensor else None


def _listed(types: Sequence[ir.Type | None]) -> str:
    names = [f"a tensor of {kind}" if kind is not None else "something else" for kind in types]
    return ", ".join(names) or "nothing"
