"""Unique names of inputs and outputs, assigned once, when a model is imported."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from mlir import ir
from mlir.dialects import func

from forebay.ir.attributes import named_attributes
from forebay.ir.memory.underlying_buffers import NAME_ATTRIBUTE
from forebay.ir.problem.unique_names import unique_names

_LONGEST = 255


def port_names(
    inputs: Sequence[str], outputs: Sequence[str]
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return a unique name for each input and each output, based on the names in the model.

    Ports without a name become `arg0`, `result0`, ... by their index. Of several ports with one
    name, the first keeps it; inputs come first. Characters that cannot be printed become `_`, and
    names are cut to 255 characters.
    """
    wanted = [
        *(_printable(name) or f"arg{index}" for index, name in enumerate(inputs)),
        *(_printable(name) or f"result{index}" for index, name in enumerate(outputs)),
    ]
    names = unique_names(wanted)
    return tuple(names[: len(inputs)]), tuple(names[len(inputs) :])


def name_ports(function: func.FuncOp) -> None:
    """Write the unique names of a function's arguments and results into its attributes."""
    kinds = {"arg_attrs": len(function.type.inputs), "res_attrs": len(function.type.results)}
    attributes = {kind: _attributes(function, kind, count) for kind, count in kinds.items()}
    names = port_names(*([_wanted(port) for port in ports] for ports in attributes.values()))
    for (kind, ports), own in zip(attributes.items(), names, strict=True):
        for port, name in zip(ports, own, strict=True):
            port[NAME_ATTRIBUTE] = ir.StringAttr.get(name)
        function.attributes[kind] = ir.ArrayAttr.get([ir.DictAttr.get(port) for port in ports])


def _attributes(function: func.FuncOp, kind: str, count: int) -> list[dict[str, Any]]:
    if kind not in function.attributes:
        return [{} for _ in range(count)]
    return [dict(named_attributes(port)) for port in ir.ArrayAttr(function.attributes[kind])]


def _wanted(attributes: dict[str, Any]) -> str:
    name = attributes.get(NAME_ATTRIBUTE)
    return name.value_bytes.decode("utf-8", "replace") if isinstance(name, ir.StringAttr) else ""


def _printable(name: str) -> str:
    return "".join(c if c.isprintable() else "_" for c in name[:_LONGEST])
