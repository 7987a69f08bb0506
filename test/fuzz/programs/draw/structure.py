"""Loops, branches, tiles and calls of functions, which contain more drawn operations."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from fuzz.programs.draw.devices import device_call
from fuzz.programs.draw.drawing import NONE, STATE, Block, Drawing
from fuzz.programs.draw.elements import load
from fuzz.programs.draw.transfers import fresh, transfer
from fuzz.programs.draw.views import subview
from fuzz.programs.machine import HOST_POOLS, LOCAL_POOLS
from fuzz.programs.values import BufferSet, Memref, Number


@dataclass(frozen=True)
class _Fitting:
    """Whether a value can be handed over for a parameter beside others."""

    parameter: Memref
    taken: BufferSet

    def __call__(self, value: Memref) -> bool:
        parameter = self.parameter
        if value.buffers & self.taken or value.pool != parameter.pool:
            return False
        if value.type == parameter.type:
            return True
        return (
            not parameter.is_plain
            and value.shape == parameter.shape
            and value.stride == parameter.stride
        )


@contextmanager
def region(draw: Drawing, block: Block) -> Iterator[Block]:
    yield block.inner()
    draw.emit("}")


def loop(draw: Drawing, block: Block) -> None:
    head, number = loop_head(draw, block)
    draw.emit(f"{head} {{")
    with region(draw, block) as inner:
        if number.most > 0:
            inner.numbers.append(number)
        draw.fill(inner, draw.random.randint(1, 6))


def loop_head(draw: Drawing, block: Block) -> tuple[str, Number]:
    """Bounds that are constants or numbers; many of them make no or one iteration."""
    low, step = draw.random.choice(("%c0", "%c0", "%c0", "%c1")), "%c1"
    if draw.random.random() < 0.2:
        step = "%c2"
    high = draw.random.choice(block.numbers)
    name = draw.new()
    return f"scf.for {name} = {low} to {high.name} step {step}", Number(name, high.most - 1)


def tiles(draw: Drawing, block: Block) -> None:
    """Rows through the device, tile by tile."""
    source = draw.any(block, wanted=_is_tiled)
    target = draw.any(block, wanted=_is_tiled, writes=True)
    if source is None or target is None or source.buffers & target.buffers:
        return
    draw.settle(block, source.buffers, target.buffers)
    rows = draw.random.choice((1, 2))
    count = min(source.rows, target.rows) // rows
    at, step, end = draw.new(), draw.new(), draw.new()
    draw.emit(f"{step} = arith.constant {rows} : index")
    draw.emit(f"{end} = arith.constant {draw.random.randint(0, count) * rows} : index")
    draw.emit(f"scf.for {at} = %c0 to {end} step {step} {{")
    with region(draw, block) as inner:
        number = Number(at, max(0, count - 1) * rows)
        inner.numbers.append(number)
        tiles = [_tile(draw, value, at, rows) for value in (source, target)]
        buffers = [
            Memref.plain(draw.new(), pool, (rows, 16), draw.root(), is_written=True)
            for pool in draw.random.choices(LOCAL_POOLS, k=2)
        ]
        for buffer in buffers:
            draw.emit(f"{buffer.name} = memref_pool.alloc : {buffer.type}")
        transfer(draw, inner, tiles[0], buffers[0])
        name = draw.random.choice(("double", "invert"))
        draw.emit(f"accel.call {device_call(name, *buffers)}")
        inner.values += buffers
        if draw.random.random() < 0.5:
            draw.fill(inner, draw.random.randint(0, 3))
        transfer(draw, inner, buffers[1], tiles[1])
        draw.wait(inner, list(inner.in_flight))


def _tile(draw: Drawing, value: Memref, at: str, rows: int) -> Memref:
    view = value.view(draw.new(), (rows, 16), value.stride, None)
    return subview(draw, value, view, f"{at}, 0")


def branch(draw: Drawing, block: Block) -> None:
    source = draw.any(block, wanted=lambda v: not v.is_local)
    if source is None:
        return
    draw.settle(block, source.buffers, NONE)
    draw.emit(f"scf.if {condition(draw, block, source)} {{")
    with region(draw, block) as inner:
        draw.fill(inner, draw.random.randint(1, 4))
        if draw.random.random() < 0.6:
            draw.emit("} else {")
            draw.fill(block.inner(), draw.random.randint(1, 4))


def condition(draw: Drawing, block: Block, source: Memref) -> str:
    """Whether a byte of memory, or a number, is at least another."""
    result, number = draw.new(), draw.new()
    if draw.random.random() < 0.5:
        left, right = (draw.random.choice(block.numbers).name for _ in range(2))
        draw.emit(f"{result} = arith.cmpi sge, {left}, {right} : index")
        return result
    value = load(draw, block, source)
    draw.emit(f"{number} = arith.constant {draw.random.randint(-60, 60)} : i8")
    draw.emit(f"{result} = arith.cmpi sge, {value}, {number} : i8")
    return result


def call_function(draw: Drawing, block: Block) -> None:
    """A function, with buffers that share no byte."""
    if not draw.callees:
        return
    name, parameters = draw.random.choice(draw.callees)
    # A function may access the state, which is none of its arguments.
    state = STATE if draw.has_state else NONE
    if any(operation.clashes(NONE, state) for operation in block.barred):
        return
    taken: BufferSet = NONE
    operands: list[Memref] = []
    for parameter in parameters:
        operand = draw.any(block, wanted=_Fitting(parameter, taken), writes=True)
        if operand is None:
            plain = Memref.plain(
                draw.new(), parameter.pool, parameter.shape, draw.root(), is_written=True
            )
            fresh(draw, block, plain)
            operand = plain
        operands.append(operand)
        taken |= operand.buffers
    draw.settle(block, NONE, taken | state)
    names = [_as_parameter(draw, o, p) for o, p in zip(operands, parameters, strict=True)]
    types = ", ".join(parameter.type for parameter in parameters)
    draw.emit(f"func.call @{name}({', '.join(names)}) : ({types}) -> ()")


def _as_parameter(draw: Drawing, value: Memref, parameter: Memref) -> str:
    if value.type == parameter.type:
        return value.name
    name = draw.new()
    draw.emit(f"{name} = memref.cast {value.name} : {value.type} to {parameter.type}")
    return name


def _is_tiled(value: Memref) -> bool:
    return value.pool in HOST_POOLS and value.columns == 16 and value.rows >= 2
