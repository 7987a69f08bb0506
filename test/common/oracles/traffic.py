"""What a planned program moves into and out of the machine's memories, and the least it could."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass

import numpy as np
from mlir import ir
from mlir.dialects import func, memref

from forebay.dialects import accel, memref_pool
from forebay.ir.machine.pools import bytes_of, candidates_of
from forebay.ir.nested import ops_nested_in


@dataclass(frozen=True)
class Traffic:
    """Bytes fetched, with each byte of an image counted once per layer, and bytes put back.

    `loaded` and `loaded_once` are the same of weights.
    """

    fetched: int
    fetched_once: int
    loaded: int
    loaded_once: int
    put_back: int

    @property
    def all(self) -> int:
        return self.fetched + self.loaded + self.put_back

    @property
    def least(self) -> int:
        return self.fetched_once + self.loaded_once + self.put_back


def traffic_of(planned: ir.Operation) -> Traffic:
    """Count what the calls and copies of a planned module say, layer by layer."""
    fetched = loaded = put_back = 0
    seen: dict[tuple[object, int], np.ndarray] = {}
    ranges: dict[object, set[tuple[int, int]]] = defaultdict(set)
    for op in ops_nested_in(planned):
        if isinstance(op, accel.CallOp) and op.callee.value == "accel.input_fetcher":
            s = scalars(op)
            fetched += 16 * s["blocks"] * s["rows"] * s["columns"]
            shape = (s["blocks"], s["height"], s["width"])
            image = seen.setdefault((layer_of(op), first_byte(op.inputs[0])), np.zeros(shape, bool))
            rows, columns = slice(s["row"], s["row"] + s["rows"]), s["column"]
            image[:, rows, columns : columns + s["columns"]] = True
        elif isinstance(op, accel.MoveOp):
            size = bytes_of(ir.MemRefType(op.source.type))
            loaded += size
            type_ = ir.MemRefType(op.source.type)
            ranges[layer_of(op), str(type_.element_type)].add((first_byte(op.source), size))
        elif isinstance(op, memref.CopyOp | memref_pool.CopyOp):
            source, target = (ir.MemRefType(value.type) for value in op.operands)
            if (candidates_of(source), candidates_of(target)) == (("act_mem",), ("l2_mem",)):
                put_back += bytes_of(source)
    return Traffic(
        fetched,
        16 * sum(int(image.sum()) for image in seen.values()),
        loaded,
        sum(size for layer in ranges.values() for _, size in layer),
        put_back,
    )


def scalars(call: accel.CallOp) -> dict[str, int]:
    assert call.config is not None
    entries = ir.DictAttr(call.config)
    return {entries[i].name: ir.IntegerAttr(entries[i].attr).value for i in range(len(entries))}


def layer_of(op: ir.OpView) -> object:
    """The function of a layer; for what main does itself, the op."""
    around = op.operation.parent
    while around is not None and not isinstance(around.opview, func.FuncOp):
        around = around.parent
    assert around is not None
    name = ir.StringAttr(around.attributes["sym_name"]).value
    return op if name == "main" else name


def first_byte(value: ir.Value) -> int:
    """Where a view begins in its function's argument."""
    _, offset = ir.MemRefType(value.type).get_strides_and_offset()
    return offset
