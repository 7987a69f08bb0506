"""Dictionary attributes, which the bindings show by number."""

from __future__ import annotations

from mlir import ir


def named_attributes(attributes: ir.Attribute) -> dict[str, ir.Attribute]:
    """Return the entries of a dictionary attribute."""
    entries = ir.DictAttr(attributes)
    return {entries[i].name: entries[i].attr for i in range(len(entries))}
