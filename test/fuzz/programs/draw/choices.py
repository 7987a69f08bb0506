"""Choices between buffers: programs that C does not print."""

from __future__ import annotations

from dataclasses import replace

from fuzz.programs.draw.drawing import NONE, Block, Drawing
from fuzz.programs.draw.structure import condition, loop_head, region
from fuzz.programs.draw.transfers import fresh
from fuzz.programs.machine import HOST_POOLS, LOCAL_POOLS
from fuzz.programs.values import Memref


def _twins(draw: Drawing, block: Block) -> tuple[Memref, Memref] | None:
    one = draw.any(block, wanted=lambda v: v.pool is not None, writes=True)
    if one is None or one.pool not in (*HOST_POOLS, *LOCAL_POOLS):
        return None
    other = draw.any(block, wanted=lambda v: v.type == one.type and v.name != one.name, writes=True)
    if other is None and one.is_plain:
        other = Memref.plain(draw.new(), one.pool, one.shape, draw.root(), is_written=True)
        fresh(draw, block, other)
    return None if other is None else (one, other)


def select(draw: Drawing, block: Block) -> None:
    twins = _twins(draw, block)
    source = draw.any(block, wanted=lambda v: not v.is_local)
    if twins is None or source is None:
        return
    draw.settle(block, source.buffers, NONE)
    flag = condition(draw, block, source)
    draw.has_choice = True
    buffers = twins[0].buffers | twins[1].buffers
    chosen = replace(twins[0], name=draw.new(), buffers=buffers)
    names = f"{twins[0].name}, {twins[1].name}"
    draw.emit(f"{chosen.name} = arith.select {flag}, {names} : {chosen.type}")
    block.values.append(chosen)


def swap(draw: Drawing, block: Block) -> None:
    """A loop that hands on two buffers, changed over or not."""
    twins = _twins(draw, block)
    if twins is None:
        return
    draw.has_choice = True
    buffers = twins[0].buffers | twins[1].buffers
    result, *names = (draw.new() for _ in range(3))
    head, number = loop_head(draw, block)
    first, second = (t.name for t in twins)
    types = f"{twins[0].type}, {twins[1].type}"
    draw.emit(
        f"{result}:2 = {head} iter_args({names[0]} = {first}, {names[1]} = {second}) -> "
        f"({types}) {{"
    )
    with region(draw, block) as inner:
        if number.most > 0:
            inner.numbers.append(number)
        inner.values += [replace(twins[0], name=name, buffers=buffers) for name in names]
        draw.fill(inner, draw.random.randint(1, 4))
        order = draw.random.choice((names, names[::-1]))
        draw.emit(f"scf.yield {', '.join(order)} : {types}")
    block.values += [
        replace(twins[0], name=f"{result}#{number}", buffers=buffers) for number in range(2)
    ]
