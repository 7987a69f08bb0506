"""Kernels and single elements, by the host."""

from __future__ import annotations

from fuzz.programs.draw.drawing import Block, Drawing
from fuzz.programs.values import Memref


def kernel(draw: Drawing, block: Block) -> None:
    """Elements of the target from those of the source, by the host."""
    pair = draw.pair(block, source=lambda v: not v.is_local, target=lambda v: not v.is_local)
    if pair is None:
        return
    source, target = pair
    draw.settle(block, source.buffers, target.buffers)
    map_ = "affine_map<(i, j) -> (i, j)>"
    body = draw.random.choice(
        (
            "%r = arith.addi %a, %b : i8",
            "%r = arith.muli %a, %b : i8",
            "%r = arith.subi %a, %b : i8",
            "%r = arith.addi %a, %a : i8",
        )
    )
    draw.emit(
        f"linalg.generic {{indexing_maps = [{map_}, {map_}], "
        f'iterator_types = ["parallel", "parallel"]}} ins({source.name} : {source.type}) '
        f"outs({target.name} : {target.type}) {{\n^bb0(%a: i8, %b: i8):\n{body}\n"
        "linalg.yield %r : i8\n}"
    )


def element(draw: Drawing, block: Block) -> None:
    """One element from here to there, by the host."""
    source = draw.any(block, wanted=lambda v: not v.is_local)
    target = draw.any(block, wanted=lambda v: not v.is_local, writes=True)
    if source is None or target is None:
        return
    draw.settle(block, source.buffers, target.buffers)
    value = load(draw, block, source)
    at = _index(draw, block, target)
    draw.emit(f"memref.store {value}, {target.name}[{at}] : {target.type}")


def load(draw: Drawing, block: Block, source: Memref) -> str:
    value, at = draw.new(), _index(draw, block, source)
    draw.emit(f"{value} = memref.load {source.name}[{at}] : {source.type}")
    return value


def _index(draw: Drawing, block: Block, value: Memref) -> str:
    row = [n.name for n in block.numbers if n.most < value.rows]
    column = [n.name for n in block.numbers if n.most < value.columns]
    return f"{draw.random.choice(row)}, {draw.random.choice(column)}"
