"""The attribute that records which target a module was attached to, as the user named it."""

from __future__ import annotations

from mlir import ir
from mlir.dialects.builtin import ModuleOp

_ATTRIBUTE = "accel.target"


def name_target(module: ModuleOp, text: str) -> None:
    """Record the target in the module, as a text that `forebay.targets.load` accepts."""
    module.attributes[_ATTRIBUTE] = ir.StringAttr.get(text)


def target_name(module: ModuleOp) -> str | None:
    """Return the recorded text, or None for a module without a target or with an unnamed one."""
    attribute = module.attributes.get(_ATTRIBUTE)
    return None if attribute is None else ir.StringAttr(attribute).value
