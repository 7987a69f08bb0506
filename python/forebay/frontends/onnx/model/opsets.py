"""Files of opsets that are older than the first one that the operators are written for."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from onnx import helper, version_converter

from forebay.frontends.errors import UnsupportedModel

_FIRST = 11
_OLDEST = 7
"""Before opset 7, operators have other attributes and rules of broadcasting."""

_RESIZE = {"coordinate_transformation_mode": "asymmetric", "nearest_mode": "floor"}
"""What Resize and Upsample compute before opset 11, which has other defaults."""


def in_known_opset(model: Any, opset: int, name: str) -> Any:
    """Return a model of this opset as one of an opset that the operators are written for.

    Raises `UnsupportedModel` where ONNX's converter has no conversion that keeps the results.
    """
    if opset >= _FIRST:
        return model
    if opset < _OLDEST:
        raise UnsupportedModel(f"opset {opset} is not supported; {_way_out()}", name)
    if opset == 8 and any(node.op_type == "Scan" for node in _nodes(model.graph)):
        raise UnsupportedModel(f"Scan of opset 8 has a batch; {_way_out()}", name)
    try:
        made = version_converter.convert_version(model, _FIRST)
    except Exception as error:  # the converter raises what its C++ raises
        reason = str(error).split("\n")[0]
        raise UnsupportedModel(
            f"ONNX's converter cannot convert it from opset {opset}: {reason}; {_way_out()}", name
        ) from error
    for node in _nodes(made.graph):
        if node.op_type == "Resize":
            node.attribute.extend(helper.make_attribute(*item) for item in _RESIZE.items())
    return made


def _way_out() -> str:
    return f"export the model with opset {_FIRST} or newer"


def _nodes(graph: Any) -> Iterator[Any]:
    """Yield the nodes of a graph and of the graphs in it."""
    for node in graph.node:
        yield node
        for attribute in node.attribute:
            if attribute.HasField("g"):
                yield from _nodes(attribute.g)
