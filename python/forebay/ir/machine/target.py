"""The target that a module was attached to, in the words it was asked for with."""

from __future__ import annotations

from mlir import ir
from mlir.dialects.builtin import ModuleOp

_ATTRIBUTE = "accel.target"


def name_target(module: ModuleOp, text: str) -> None:
    """Say in the module which target it has: a text that `forebay.targets.load` takes."""
    module.attributes[_ATTRIBUTE] = ir.StringAttr.get(text)


def target_name(module: ModuleOp) -> str | None:
    """That text; None for a module without a target, or with one that no text names."""
    attribute = module.attributes.get(_ATTRIBUTE)
    return None if attribute is None else ir.StringAttr(attribute).value
