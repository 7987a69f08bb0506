"""Calls of the device's intrinsics, and operations in its queues."""

from __future__ import annotations

from fuzz.programs.draw.drawing import NONE, SHAPES, Block, Drawing
from fuzz.programs.draw.transfers import fresh
from fuzz.programs.machine import LOCAL_POOLS
from fuzz.programs.values import BufferSet, InFlightOperation, Memref


def call_device(draw: Drawing, block: Block) -> None:
    operands = _operands(draw, block)
    if operands is not None:
        name, source, target = operands
        draw.settle(block, source.buffers, target.buffers)
        draw.emit(f"accel.call {device_call(name, source, target)}")


def _operands(draw: Drawing, block: Block) -> tuple[str, Memref, Memref] | None:
    pair = draw.pair(block, source=_is_operand, target=_is_operand)
    if pair is None or draw.random.random() < 0.2:
        source = draw.any(block, wanted=_is_operand)
        shape = draw.random.choice(SHAPES[:5]) if source is None else source.shape
        pool = draw.random.choice(LOCAL_POOLS)
        fresh(draw, block, Memref.plain(draw.new(), pool, shape, draw.root(), is_written=True))
        return None
    name = draw.random.choice(("double", "add", "invert"))
    return name, *pair


def start(draw: Drawing, block: Block) -> None:
    into = draw.random.random() < 0.5
    pair = draw.pair(
        block,
        source=lambda v: v.is_local != into and v.pool is not None,
        target=lambda v: v.is_local == into and v.pool is not None,
    )
    if pair is None:
        return
    source, target = pair
    queue = "load" if into else "store"
    after = _after(draw, block, queue, source.buffers, target.buffers)
    transfer = "in" if into else "out"
    token = draw.new()
    draw.emit(
        f"{token} = accel.start @npu.{transfer} {source.name} into {target.name}{after} : "
        f"{source.type}, {target.type}"
    )
    block.in_flight.append(InFlightOperation(token, queue, source.buffers, target.buffers))


def launch(draw: Drawing, block: Block) -> None:
    operands = _operands(draw, block)
    if operands is None or operands[0] == "invert":
        return
    name, source, target = operands
    reads = source.buffers | (target.buffers if name == "add" else NONE)
    after = _after(draw, block, "run", reads, target.buffers)
    token = draw.new()
    call = device_call(name, source, target)
    place = call.index(" accumulate") if " accumulate" in call else call.index(" config")
    draw.emit(f"{token} = accel.launch {call[:place]}{after}{call[place:]}")
    block.in_flight.append(InFlightOperation(token, "run", reads, target.buffers))


def _after(draw: Drawing, block: Block, queue: str, reads: BufferSet, writes: BufferSet) -> str:
    """Behind what it clashes with: by a wait of the host, by the queue's order, by tokens."""
    clashing = [f for f in block.in_flight if f.clashes(reads, writes)]
    waiting = [f for f in block.in_flight if f.queue == queue]
    if len(waiting) >= 3:
        draw.wait(block, waiting[:2])
    elif draw.random.random() < 0.3:
        draw.wait(block, clashing)
    tokens = [
        f.token
        for f in block.in_flight
        if f in clashing and (f.queue != queue or draw.random.random() < 0.3)
    ]
    return f" after ({', '.join(tokens)})" if tokens else ""


def _is_operand(value: Memref) -> bool:
    """Whether a device can be handed a pointer to it: bytes in a row, in its memory."""
    return value.is_local and (value.stride == value.columns or value.rows == 1)


def device_call(name: str, source: Memref, target: Memref) -> str:
    accumulate = " accumulate [0]" if name == "add" else ""
    count = source.rows * source.columns
    return (
        f"@npu.{name} ins({source.name} : {source.type}) outs({target.name} : {target.type})"
        f"{accumulate} config {{count = {count} : i64}}"
    )
