"""A whole program: the machine, globals, functions, and the kinds of operations in them."""

from __future__ import annotations

from fuzz.programs.draw.choices import select, swap
from fuzz.programs.draw.devices import call_device, launch, start
from fuzz.programs.draw.drawing import CONSTANTS, NONE, SHAPES, STATE, Block, Drawing, Kind
from fuzz.programs.draw.elements import element, kernel
from fuzz.programs.draw.structure import branch, call_function, loop, tiles
from fuzz.programs.draw.transfers import alloc, copy, host_fill, move, nest, overwrite
from fuzz.programs.draw.views import view
from fuzz.programs.machine import HOST_POOLS, LOCAL_POOLS, machine
from fuzz.programs.values import BufferSet, Memref, Number


class Program:
    """One drawn program; `has_choice` if it chooses between buffers, which C does not print."""

    def __init__(self, seed: int) -> None:
        draw = Drawing.of_seed(seed, _kinds)
        self.text = _module(draw)
        self.has_choice = draw.has_choice


def _module(draw: Drawing) -> str:
    head = machine(draw.random.choice((256, 512, 4096)), draw.random.choice((None, 512)))
    values = ", ".join(str(draw.random.randint(-128, 127)) for _ in range(16))
    dense = f"dense<[{', '.join([f'[{values}]'] * 8)}]>"
    globals_ = [
        f'memref.global "private" constant @k : {_rom("", NONE).type} = {dense}',
        f'memref.global "private" @s : {_state("", NONE).type} = uninitialized',
    ]
    for name in ("first", "second", "third")[: draw.random.randint(0, 3)]:
        _callee(draw, name)
    _main(draw)
    if draw.has_state:
        _reset(draw)
    return "\n".join([head, *globals_, *draw.lines]) + "\n"


def _rom(name: str, buffers: BufferSet) -> Memref:
    return Memref.plain(name, "rom", (8, 16), buffers, is_written=False)


def _state(name: str, buffers: BufferSet) -> Memref:
    return Memref.plain(name, "st", (4, 16), buffers, is_written=True)


def _callee(draw: Drawing, name: str) -> None:
    """A private function of two to four buffers, written by its callers."""
    arguments = [_argument(draw, f"%p{number}") for number in range(draw.random.randint(2, 4))]
    listed = ", ".join(f"{value.name}: {value.type}" for value in arguments)
    draw.emit(f"func.func private @{name}({listed}) {{")
    block = _entry_block(draw, arguments)
    if draw.has_state and draw.random.random() < 0.3:
        _see_state(draw, block)
    draw.fill(block, draw.random.randint(2, 7))
    draw.emit("return\n}")
    draw.callees.append((name, arguments))


def _argument(draw: Drawing, name: str) -> Memref:
    pool = draw.random.choice((*HOST_POOLS, *LOCAL_POOLS))
    value = Memref.plain(name, pool, draw.random.choice(SHAPES[:5]), draw.root(), is_written=True)
    if pool in HOST_POOLS and draw.random.random() < 0.3:
        return value.view(name, value.shape, 16, None)
    return value


def _main(draw: Drawing) -> None:
    ports = _ports(draw)
    listed = ", ".join(
        f'{port.name}: {port.type} {{accel.name = "{port.name[1:]}"'
        + (", bufferize.result}" if port.is_written else "}")
        for port in ports
    )
    numbers = '%n: memref<4xi32> {accel.name = "n"}'
    draw.emit(f"func.func @main({numbers}, {listed}) {{")
    block = _entry_block(draw, [])
    for number in range(2):
        block.numbers.append(_number_of_input(draw, number))
    outputs = [port for port in ports if port.is_written]
    late = [port for port in outputs if draw.random.random() < 0.6]
    block.values += [port for port in ports if port not in late]
    for port in outputs:
        if port not in late:
            host_fill(draw, port)
    if draw.has_state:
        _see_state(draw, block)
    draw.fill(block, draw.budget)
    for port in late:
        _give(draw, block, port)
    draw.emit("return\n}")


def _ports(draw: Drawing) -> list[Memref]:
    shapes = [draw.random.choice(SHAPES) for _ in range(draw.random.randint(2, 4))]
    ports = [
        Memref.plain(
            f"%port{number}",
            draw.random.choice((None, "dram")),
            shape,
            draw.root(),
            is_written=number % 2 == 1,
        )
        for number, shape in enumerate(shapes)
    ]
    return sorted(ports, key=lambda port: port.is_written)


def _number_of_input(draw: Drawing, number: int) -> Number:
    loaded, masked, index = draw.new(), draw.new(), draw.new()
    draw.emit(f"{loaded} = memref.load %n[%c{number}] : memref<4xi32>")
    draw.emit(f"{masked} = arith.andi {loaded}, %three : i32")
    draw.emit(f"{index} = arith.index_cast {masked} : i32 to index")
    return Number(index, 3)


def _see_state(draw: Drawing, block: Block) -> None:
    state = _state(draw.new(), STATE)
    draw.emit(f"{state.name} = memref.get_global @s : {state.type}")
    block.values.append(state)


def _reset(draw: Drawing) -> None:
    draw.emit("func.func @reset() {")
    _entry_block(draw, [])
    state = _state("%state", NONE)
    draw.emit(f"{state.name} = memref.get_global @s : {state.type}")
    host_fill(draw, state)
    draw.emit("return\n}")


def _entry_block(draw: Drawing, arguments: list[Memref]) -> Block:
    for number in range(CONSTANTS):
        draw.emit(f"%c{number} = arith.constant {number} : index")
    draw.emit("%three = arith.constant 3 : i32")
    rom = _rom(draw.new(), draw.root())
    draw.emit(f"{rom.name} = memref.get_global @k : {rom.type}")
    numbers = [Number(f"%c{number}", number) for number in range(CONSTANTS)]
    return Block([*arguments, rom], numbers)


def _kinds(draw: Drawing, block: Block) -> list[Kind]:
    straight = [
        alloc,
        alloc,
        copy,
        copy,
        copy,
        copy,
        move,
        move,
        move,
        call_device,
        call_device,
        call_device,
        call_device,
        view,
        view,
        kernel,
        element,
        overwrite,
    ]
    nested = [loop, loop, tiles, branch, call_function, nest]
    queued = [start, start, launch, launch] * 2 if draw.uses_queues else []
    chosen = [select, swap] if draw.chooses else []
    return straight + queued + (nested + chosen if block.depth < 3 else [])


def _give(draw: Drawing, block: Block, port: Memref) -> None:
    """A result that is written once, at the end: from a buffer of its shape."""
    source = draw.any(
        block,
        wanted=lambda v: v.shape == port.shape and not v.is_local,
    )
    if source is None:
        host_fill(draw, port)
        return
    draw.emit(f"memref_pool.copy {source.name} into {port.name} : {source.type}, {port.type}")
