"""Buffers, and copies between them: by the host, by transfers, by loops."""

from __future__ import annotations

from fuzz.programs.draw.drawing import SHAPES, Block, Drawing
from fuzz.programs.machine import HOST_POOLS, LOCAL_POOLS
from fuzz.programs.values import Memref


def host_fill(draw: Drawing, value: Memref) -> None:
    number = draw.new()
    draw.emit(f"{number} = arith.constant {draw.random.randint(-128, 127)} : i8")
    draw.emit(f"linalg.fill ins({number} : i8) outs({value.name} : {value.type})")


def alloc(draw: Drawing, block: Block) -> None:
    """A buffer, and what fills it."""
    fresh(draw, block, _buffer(draw))


def _buffer(draw: Drawing) -> Memref:
    pool = draw.random.choice((*HOST_POOLS, *LOCAL_POOLS))
    shape = draw.random.choice(SHAPES[:5] if pool in LOCAL_POOLS else SHAPES)
    return Memref.plain(draw.new(), pool, shape, draw.root(), is_written=True)


def fresh(draw: Drawing, block: Block, value: Memref) -> None:
    source = draw.any(block, wanted=lambda v: _suits(v, value))
    if source is None and value.is_local:
        source = Memref.plain(draw.new(), "dram", value.shape, draw.root(), is_written=True)
        fresh(draw, block, source)
    is_upstreams = draw.random.random() < 0.3
    alloc = "memref.alloc()" if is_upstreams else "memref_pool.alloc"
    draw.emit(f"{value.name} = {alloc} : {value.type}")
    if source is None or (not value.is_local and draw.random.random() < 0.3):
        host_fill(draw, value)
    else:
        transfer(draw, block, source, value)
    block.values.append(value)


def transfer(draw: Drawing, block: Block, source: Memref, target: Memref) -> None:
    """Copy in one of the ways that there are for these pools."""
    draw.settle(block, source.buffers, target.buffers)
    name = _transfer_for(source, target)
    pair = f"{source.name} into {target.name} : {source.type}, {target.type}"
    if name is not None and draw.random.random() < 0.6:
        draw.emit(f"accel.move @npu.{name} {pair}")
    elif source.pool == target.pool:
        draw.emit(f"memref.copy {source.name}, {target.name} : {source.type} to {target.type}")
    else:
        draw.emit(f"memref_pool.copy {pair}")


def copy(draw: Drawing, block: Block) -> None:
    pair = draw.pair(block, source=lambda _: True, target=lambda _: True)
    if pair is not None and _can_copy(*pair):
        transfer(draw, block, *pair)


def move(draw: Drawing, block: Block) -> None:
    """Between the host's memory and the device's, either way."""
    into = draw.random.random() < 0.5
    pair = draw.pair(
        block,
        source=lambda v: v.is_local != into and v.pool is not None,
        target=lambda v: v.is_local == into and v.pool is not None,
    )
    if pair is not None:
        transfer(draw, block, *pair)


def overwrite(draw: Drawing, block: Block) -> None:
    """Copies to one place in a row, or there and back: what a pass may shorten."""
    pair = draw.pair(block, source=lambda _: True, target=lambda v: v.is_local)
    if pair is None or not _can_copy(*pair):
        return
    source, target = pair
    transfer(draw, block, source, target)
    if draw.random.random() < 0.5 and draw.is_free(block, source, writes=True):
        if _can_copy(target, source):
            transfer(draw, block, target, source)
    else:
        other = draw.any(
            block,
            wanted=lambda v: (
                v.shape == target.shape and not v.buffers & target.buffers and _can_copy(v, target)
            ),
        )
        if other is not None:
            transfer(draw, block, other, target)


def nest(draw: Drawing, block: Block) -> None:
    """A copy as a nest of loops around one load and one store."""
    pair = draw.pair(block, source=lambda _: True, target=lambda v: v.rows < 8)
    if pair is None or not _can_copy(*pair):
        return
    source, target = pair
    draw.settle(block, source.buffers, target.buffers)
    rows, columns, i, j, value = (draw.new() for _ in range(5))
    draw.emit(f"{rows} = arith.constant {source.rows} : index")
    draw.emit(f"{columns} = arith.constant {source.columns} : index")
    draw.emit(f"scf.for {i} = %c0 to {rows} step %c1 {{")
    draw.emit(f"scf.for {j} = %c0 to {columns} step %c1 {{")
    draw.emit(f"{value} = memref.load {source.name}[{i}, {j}] : {source.type}")
    draw.emit(f"memref.store {value}, {target.name}[{i}, {j}] : {target.type}")
    draw.emit("}\n}")


def _suits(source: Memref, target: Memref) -> bool:
    return source.shape == target.shape and _can_copy(source, target)


def _can_copy(source: Memref, target: Memref) -> bool:
    """Whether something copies between the pools: not between a caller's memory and a device's."""
    return not (source.is_local or target.is_local) or _transfer_for(source, target) is not None


def _transfer_for(source: Memref, target: Memref) -> str | None:
    """The transfer between the values' pools; none into or out of memory of the caller."""
    if source.pool is None or target.pool is None:
        return None
    if source.is_local:
        return "across" if target.is_local else "out"
    if target.is_local:
        return "in"
    return "dma" if target.pool in HOST_POOLS else None
