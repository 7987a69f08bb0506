# pyright: basic, reportMissingImports=false
"""StableHLO to linalg on tensors, by the passes that jaxlib registers.

stablehlo_to_linalg.py IN OUT NAMES    IN: a serialised module; NAMES: a JSON list of input names
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

from jaxlib.mlir import ir
from jaxlib.mlir.dialects import scf, stablehlo  # noqa: F401  (registers scf)
from jaxlib.mlir.passmanager import PassManager

_LOWER = "builtin.module(stablehlo-legalize-to-linalg)"


def main(source: str, target: str, names: str) -> None:
    """Write the module as text."""
    stablehlo.register_stablehlo_passes()
    with ir.Context() as context:
        stablehlo.register_dialect(context)
        module = stablehlo.deserialize_portable_artifact(context, Path(source).read_bytes())
        PassManager.parse(_LOWER).run(module.operation)
        for op in _ops_in(module.operation):
            if op.name == "stablehlo.while":
                _as_scf(op)
        left = {op.name for op in _ops_in(module.operation) if op.name.startswith("stablehlo.")}
        if left:
            sys.exit(f"no rule lowers {', '.join(sorted(left))}")
        _name(module, json.loads(names))
        Path(target).write_text(module.operation.get_asm(enable_debug_info=True))


def _ops_in(op):
    """Return all ops below one, inner ones first."""
    found = []
    for region in op.regions:
        for block in region:
            for inner in block:
                found += [*_ops_in(inner.operation), inner.operation]
    return found


def _as_scf(loop) -> None:
    """Replace a `stablehlo.while` by an `scf.while` with the same blocks."""
    types = [result.type for result in loop.results]
    with ir.InsertionPoint(loop), loop.location:
        made = ir.Operation.create(
            "scf.while", results=types, operands=list(loop.operands), regions=2
        )
        for region, own in zip(list(loop.regions), made.regions, strict=True):
            region.blocks[0].append_to(own)
        _end(made.regions[0].blocks[0], condition=True)
        _end(made.regions[1].blocks[0], condition=False)
    for old, new in zip(loop.results, made.results, strict=True):
        old.replace_all_uses_with(new)
    loop.erase()


def _end(block, *, condition: bool) -> None:
    last = list(block)[-1].operation
    values = list(last.operands)
    with ir.InsertionPoint(last), last.location:
        if condition:
            i1 = ir.IntegerType.get_signless(1)
            again = ir.Operation.create("tensor.extract", results=[i1], operands=values)
            operands = [again.result, *block.arguments]
            ir.Operation.create("scf.condition", operands=operands)
        else:
            ir.Operation.create("scf.yield", operands=values)
    last.erase()


def _name(module, names) -> None:
    """Name the arguments of the function, and drop what only XLA reads."""
    for name in list(module.operation.attributes):
        key = name.name if hasattr(name, "name") else name
        if key.startswith("mhlo."):
            del module.operation.attributes[key]
    for op in module.body:
        if op.operation.name != "func.func":
            continue
        attributes = op.operation.attributes
        if attributes["sym_name"].value != "main":
            continue
        named = [ir.DictAttr.get({"accel.name": ir.StringAttr.get(n)}) for n in names]
        attributes["arg_attrs"] = ir.ArrayAttr.get(named)
        if "res_attrs" in attributes:
            del attributes["res_attrs"]


main(*sys.argv[1:])
