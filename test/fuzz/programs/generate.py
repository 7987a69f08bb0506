"""Draws programs on memrefs that are right: every read is of what was written, nothing overlaps.

A program is a line of text after the other. What may be done next depends on what is known: values
and numbers in sight, and operations that were started and not waited for, which own their buffers.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from contextlib import contextmanager
from dataclasses import dataclass, field, replace

from fuzz.programs.machine import HOST_POOLS, LOCAL_POOLS, machine
from fuzz.programs.values import Flight, Memref, Number, Roots

SHAPES = ((8, 16), (4, 16), (8, 16), (4, 16), (2, 16), (8, 32), (1, 16))
CONSTANTS = 4
"""Indices 0 to 3 are constants of every function."""
NONE: Roots = frozenset()
STATE: Roots = frozenset({0})


@dataclass
class Block:
    """What is in sight in a block; `barred` is what operations of blocks around it own."""

    values: list[Memref]
    numbers: list[Number]
    barred: tuple[Flight, ...] = ()
    flights: list[Flight] = field(default_factory=list)
    depth: int = 0

    def inner(self) -> Block:
        return Block(
            list(self.values),
            list(self.numbers),
            (*self.barred, *self.flights),
            depth=self.depth + 1,
        )


class Program:
    """One drawn program; `has_choice` if it chooses between buffers, which C does not print."""

    def __init__(self, seed: int) -> None:
        self._random = random.Random(seed)
        self._lines: list[str] = []
        self._count = 0
        self._budget = self._random.choice((5, 10, 10, 20, 30))
        self._uses_queues = self._random.random() < 0.35
        self._chooses = self._random.random() < 0.25
        self._callees: list[tuple[str, list[Memref]]] = []
        self._has_state = self._random.random() < 0.3
        self.has_choice = False
        self.text = self._write()

    # ---- The module ------------------------------------------------------------------------------

    def _write(self) -> str:
        head = machine(self._random.choice((256, 512, 4096)), self._random.choice((None, 512)))
        values = ", ".join(str(self._random.randint(-128, 127)) for _ in range(16))
        rom = f"dense<[{', '.join([f'[{values}]'] * 8)}]>"
        globals_ = [
            f'memref.global "private" constant @k : {self._rom("", NONE).type} = {rom}',
            f'memref.global "private" @s : {self._state("", NONE).type} = uninitialized',
        ]
        for name in ("first", "second", "third")[: self._random.randint(0, 3)]:
            self._callee(name)
        self._main()
        if self._has_state:
            self._reset()
        return "\n".join([head, *globals_, *self._lines]) + "\n"

    @staticmethod
    def _rom(name: str, roots: Roots) -> Memref:
        return Memref.plain(name, "rom", (8, 16), roots, is_written=False)

    @staticmethod
    def _state(name: str, roots: Roots) -> Memref:
        return Memref.plain(name, "st", (4, 16), roots, is_written=True)

    def _callee(self, name: str) -> None:
        """A private function of two to four buffers, written by whoever calls it."""
        arguments = [self._argument(f"%p{number}") for number in range(self._random.randint(2, 4))]
        listed = ", ".join(f"{value.name}: {value.type}" for value in arguments)
        self._emit(f"func.func private @{name}({listed}) {{")
        block = self._entry_block(arguments)
        if self._has_state and self._random.random() < 0.3:
            self._see_state(block)
        self._fill_block(block, self._random.randint(2, 7))
        self._emit("return\n}")
        self._callees.append((name, arguments))

    def _argument(self, name: str) -> Memref:
        pool = self._random.choice((*HOST_POOLS, *LOCAL_POOLS))
        value = Memref.plain(
            name, pool, self._random.choice(SHAPES[:5]), self._root(), is_written=True
        )
        if pool in HOST_POOLS and self._random.random() < 0.3:
            return value.view(name, value.shape, 16, None)
        return value

    def _main(self) -> None:
        ports = self._ports()
        listed = ", ".join(
            f'{port.name}: {port.type} {{accel.name = "{port.name[1:]}"'
            + (", bufferize.result}" if port.is_written else "}")
            for port in ports
        )
        numbers = '%n: memref<4xi32> {accel.name = "n"}'
        self._emit(f"func.func @main({numbers}, {listed}) {{")
        block = self._entry_block([])
        for number in range(2):
            block.numbers.append(self._number_of_input(number))
        outputs = [port for port in ports if port.is_written]
        late = [port for port in outputs if self._random.random() < 0.6]
        block.values += [port for port in ports if port not in late]
        for port in outputs:
            if port not in late:
                self._host_fill(port)
        if self._has_state:
            self._see_state(block)
        self._fill_block(block, self._budget)
        for port in late:
            self._give(block, port)
        self._emit("return\n}")

    def _ports(self) -> list[Memref]:
        shapes = [self._random.choice(SHAPES) for _ in range(self._random.randint(2, 4))]
        ports = [
            Memref.plain(
                f"%port{number}",
                self._random.choice((None, "dram")),
                shape,
                self._root(),
                is_written=number % 2 == 1,
            )
            for number, shape in enumerate(shapes)
        ]
        return sorted(ports, key=lambda port: port.is_written)

    def _number_of_input(self, number: int) -> Number:
        loaded, masked, index = self._new(), self._new(), self._new()
        self._emit(f"{loaded} = memref.load %n[%c{number}] : memref<4xi32>")
        self._emit(f"{masked} = arith.andi {loaded}, %three : i32")
        self._emit(f"{index} = arith.index_cast {masked} : i32 to index")
        return Number(index, 3)

    def _see_state(self, block: Block) -> None:
        state = self._state(self._new(), STATE)
        self._emit(f"{state.name} = memref.get_global @s : {state.type}")
        block.values.append(state)

    def _reset(self) -> None:
        self._emit("func.func @reset() {")
        self._entry_block([])
        state = self._state("%state", NONE)
        self._emit(f"{state.name} = memref.get_global @s : {state.type}")
        self._host_fill(state)
        self._emit("return\n}")

    def _entry_block(self, arguments: list[Memref]) -> Block:
        for number in range(CONSTANTS):
            self._emit(f"%c{number} = arith.constant {number} : index")
        self._emit("%three = arith.constant 3 : i32")
        rom = self._rom(self._new(), self._root())
        self._emit(f"{rom.name} = memref.get_global @k : {rom.type}")
        numbers = [Number(f"%c{number}", number) for number in range(CONSTANTS)]
        return Block([*arguments, rom], numbers)

    def _fill_block(self, block: Block, budget: int) -> None:
        """Draw up to so many things, then wait for what was started here."""
        kinds = self._kinds(block)
        for _ in range(budget):
            self._random.choice(kinds)(block)
        self._wait(block, list(block.flights))

    def _kinds(self, block: Block) -> list[Callable[[Block], None]]:
        straight = [
            self._alloc,
            self._alloc,
            self._copy,
            self._copy,
            self._copy,
            self._copy,
            self._move,
            self._move,
            self._move,
            self._call_device,
            self._call_device,
            self._call_device,
            self._call_device,
            self._view,
            self._view,
            self._kernel,
            self._element,
            self._overwrite,
        ]
        nested = [self._loop, self._loop, self._tiles, self._if, self._call, self._nest]
        queued = (
            [self._start, self._start, self._launch, self._launch] * 2 if self._uses_queues else []
        )
        chosen = [self._select, self._swap] if self._chooses else []
        return straight + queued + (nested + chosen if block.depth < 3 else [])

    # ---- What is in sight ------------------------------------------------------------------------

    def _emit(self, line: str) -> None:
        self._lines.append(line)

    def _new(self) -> str:
        self._count += 1
        return f"%v{self._count}"

    def _root(self) -> Roots:
        self._count += 1
        return frozenset({self._count})

    def _any(
        self, block: Block, *, wanted: Callable[[Memref], bool], writes: bool = False
    ) -> Memref | None:
        """A value that may be used here now; one that operations of this block own, half the time.

        Those are waited for, or what is started is ordered behind them.
        """
        free = [v for v in block.values if wanted(v) and self._is_free(block, v, writes=writes)]
        if block.flights and self._random.random() < 0.5:
            owned = NONE.union(*(f.reads | f.writes for f in block.flights))
            free = [v for v in free if v.roots & owned] or free
        return self._random.choice(free) if free else None

    @staticmethod
    def _is_free(block: Block, value: Memref, *, writes: bool) -> bool:
        if writes and not value.is_written:
            return False
        reads, written = (NONE, value.roots) if writes else (value.roots, NONE)
        return not any(flight.clashes(reads, written) for flight in block.barred)

    def _pair(
        self,
        block: Block,
        *,
        source: Callable[[Memref], bool],
        target: Callable[[Memref], bool],
    ) -> tuple[Memref, Memref] | None:
        """Two values of one shape that share no byte."""
        written = self._any(block, wanted=target, writes=True)
        if written is None:
            return None
        read = self._any(
            block,
            wanted=lambda v: source(v) and v.shape == written.shape and not v.roots & written.roots,
        )
        return None if read is None else (read, written)

    def _settle(self, block: Block, reads: Roots, writes: Roots) -> None:
        """Wait for operations of this block that own what the host uses now."""
        self._wait(block, [f for f in block.flights if f.clashes(reads, writes)])

    def _wait(self, block: Block, flights: list[Flight]) -> None:
        if flights:
            self._emit(f"accel.wait {', '.join(flight.token for flight in flights)}")
        block.flights = [flight for flight in block.flights if flight not in flights]

    # ---- Straight code ---------------------------------------------------------------------------

    def _host_fill(self, value: Memref) -> None:
        number = self._new()
        self._emit(f"{number} = arith.constant {self._random.randint(-128, 127)} : i8")
        self._emit(f"linalg.fill ins({number} : i8) outs({value.name} : {value.type})")

    def _alloc(self, block: Block) -> None:
        """A buffer, and what fills it."""
        self._fresh(block, self._buffer())

    def _buffer(self) -> Memref:
        pool = self._random.choice((*HOST_POOLS, *LOCAL_POOLS))
        shape = self._random.choice(SHAPES[:5] if pool in LOCAL_POOLS else SHAPES)
        return Memref.plain(self._new(), pool, shape, self._root(), is_written=True)

    def _fresh(self, block: Block, value: Memref) -> None:
        source = self._any(block, wanted=lambda v: _suits(v, value))
        if source is None and value.is_local:
            source = Memref.plain(self._new(), "dram", value.shape, self._root(), is_written=True)
            self._fresh(block, source)
        is_upstreams = self._random.random() < 0.3
        alloc = "memref.alloc()" if is_upstreams else "memref_pool.alloc"
        self._emit(f"{value.name} = {alloc} : {value.type}")
        if source is None or (not value.is_local and self._random.random() < 0.3):
            self._host_fill(value)
        else:
            self._transfer(block, source, value)
        block.values.append(value)

    def _transfer(self, block: Block, source: Memref, target: Memref) -> None:
        """Copy in one of the ways that there are for these pools."""
        self._settle(block, source.roots, target.roots)
        name = _transfer_for(source, target)
        pair = f"{source.name} into {target.name} : {source.type}, {target.type}"
        if name is not None and self._random.random() < 0.6:
            self._emit(f"accel.move @npu.{name} {pair}")
        elif source.pool == target.pool:
            self._emit(f"memref.copy {source.name}, {target.name} : {source.type} to {target.type}")
        else:
            self._emit(f"memref_pool.copy {pair}")

    def _copy(self, block: Block) -> None:
        pair = self._pair(block, source=lambda _: True, target=lambda _: True)
        if pair is not None and _can_copy(*pair):
            self._transfer(block, *pair)

    def _move(self, block: Block) -> None:
        """Between the host's memory and the device's, either way."""
        into = self._random.random() < 0.5
        pair = self._pair(
            block,
            source=lambda v: v.is_local != into and v.pool is not None,
            target=lambda v: v.is_local == into and v.pool is not None,
        )
        if pair is not None:
            self._transfer(block, *pair)

    def _overwrite(self, block: Block) -> None:
        """Copies to one place in a row, or there and back: what a pass may shorten."""
        pair = self._pair(block, source=lambda _: True, target=lambda v: v.is_local)
        if pair is None or not _can_copy(*pair):
            return
        source, target = pair
        self._transfer(block, source, target)
        if self._random.random() < 0.5 and self._is_free(block, source, writes=True):
            if _can_copy(target, source):
                self._transfer(block, target, source)
        else:
            other = self._any(
                block,
                wanted=lambda v: (
                    v.shape == target.shape and not v.roots & target.roots and _can_copy(v, target)
                ),
            )
            if other is not None:
                self._transfer(block, other, target)

    def _call_device(self, block: Block) -> None:
        operands = self._operands(block)
        if operands is not None:
            name, source, target = operands
            self._settle(block, source.roots, target.roots)
            self._emit(f"accel.call {_device_call(name, source, target)}")

    def _operands(self, block: Block) -> tuple[str, Memref, Memref] | None:
        pair = self._pair(block, source=_is_operand, target=_is_operand)
        if pair is None or self._random.random() < 0.2:
            source = self._any(block, wanted=_is_operand)
            shape = self._random.choice(SHAPES[:5]) if source is None else source.shape
            pool = self._random.choice(LOCAL_POOLS)
            self._fresh(
                block, Memref.plain(self._new(), pool, shape, self._root(), is_written=True)
            )
            return None
        name = self._random.choice(("double", "add", "invert"))
        return name, *pair

    def _kernel(self, block: Block) -> None:
        """Elements of the target from those of the source, by the host."""
        pair = self._pair(block, source=lambda v: not v.is_local, target=lambda v: not v.is_local)
        if pair is None:
            return
        source, target = pair
        self._settle(block, source.roots, target.roots)
        map_ = "affine_map<(i, j) -> (i, j)>"
        body = self._random.choice(
            (
                "%r = arith.addi %a, %b : i8",
                "%r = arith.muli %a, %b : i8",
                "%r = arith.subi %a, %b : i8",
                "%r = arith.addi %a, %a : i8",
            )
        )
        self._emit(
            f"linalg.generic {{indexing_maps = [{map_}, {map_}], "
            f'iterator_types = ["parallel", "parallel"]}} ins({source.name} : {source.type}) '
            f"outs({target.name} : {target.type}) {{\n^bb0(%a: i8, %b: i8):\n{body}\n"
            "linalg.yield %r : i8\n}"
        )

    def _element(self, block: Block) -> None:
        """One element from here to there, by the host."""
        source = self._any(block, wanted=lambda v: not v.is_local)
        target = self._any(block, wanted=lambda v: not v.is_local, writes=True)
        if source is None or target is None:
            return
        self._settle(block, source.roots, target.roots)
        value = self._load(block, source)
        at = self._index(block, target)
        self._emit(f"memref.store {value}, {target.name}[{at}] : {target.type}")

    def _load(self, block: Block, source: Memref) -> str:
        value, at = self._new(), self._index(block, source)
        self._emit(f"{value} = memref.load {source.name}[{at}] : {source.type}")
        return value

    def _index(self, block: Block, value: Memref) -> str:
        row = [n.name for n in block.numbers if n.most < value.rows]
        column = [n.name for n in block.numbers if n.most < value.columns]
        return f"{self._random.choice(row)}, {self._random.choice(column)}"

    def _view(self, block: Block) -> None:
        value = self._any(block, wanted=lambda v: v.rows > 1)
        if value is None:
            return
        kinds = [self._rows]
        if not value.is_local:
            kinds += [self._rows_at_number, self._rows_at_number]
            kinds += [self._columns] * (value.columns > 16)
        if value.is_plain:
            kinds += [self._reinterpret, self._reshape]
        view = self._random.choice(kinds)(block, value)
        if view is not None:
            block.values.append(view)

    def _rows(self, _: Block, value: Memref) -> Memref | None:
        rows = self._random.choice([r for r in (1, 2, 4) if r < value.rows])
        first = self._random.randint(0, value.rows - rows)
        if value.offset is None and value.is_local:
            return None
        offset = None if value.offset is None else value.offset + first * value.stride
        view = value.view(self._new(), (rows, value.columns), value.stride, offset)
        return self._subview(value, view, f"{first}, 0")

    def _rows_at_number(self, block: Block, value: Memref) -> Memref | None:
        """Rows that begin at a number, or at twice or four times as many."""
        rows = self._random.choice([r for r in (1, 2, 4) if r < value.rows])
        factor = self._random.choice([1, 1, rows])
        fitting = [n for n in block.numbers[CONSTANTS:] if n.most * factor + rows <= value.rows]
        if not fitting:
            return None
        at = self._random.choice(fitting).name
        if factor > 1:
            scaled = self._new()
            constant = self._new()
            self._emit(f"{constant} = arith.constant {factor} : index")
            self._emit(f"{scaled} = arith.muli {at}, {constant} : index")
            at = scaled
        view = value.view(self._new(), (rows, value.columns), value.stride, None)
        return self._subview(value, view, f"{at}, 0")

    def _columns(self, _: Block, value: Memref) -> Memref | None:
        first = self._random.choice((0, 0, 3, 16))
        offset = None if value.offset is None else value.offset + first
        view = value.view(self._new(), (value.rows, 16), value.stride, offset)
        return self._subview(value, view, f"0, {first}")

    def _subview(self, value: Memref, view: Memref, offsets: str) -> Memref:
        sizes = f"{view.rows}, {view.columns}"
        self._emit(
            f"{view.name} = memref.subview {value.name}[{offsets}] [{sizes}] [1, 1] : "
            f"{value.type} to {view.type}"
        )
        return view

    def _reinterpret(self, _: Block, value: Memref) -> Memref | None:
        rows = self._random.choice([r for r in (1, 2, 4) if r < value.rows])
        columns = 16
        stride = self._random.choice([16, 32] if rows * 32 <= value.rows * value.columns else [16])
        last = value.rows * value.columns - (rows - 1) * stride - columns
        offset = self._random.choice(range(0, last + 1, 16))
        view = value.view(self._new(), (rows, columns), stride, offset)
        self._emit(
            f"{view.name} = memref.reinterpret_cast {value.name} to offset: [{offset}], sizes: "
            f"[{rows}, {columns}], strides: [{stride}, 1] : {value.type} to {view.type}"
        )
        return view

    def _reshape(self, _: Block, value: Memref) -> Memref | None:
        """Flat, and then in rows again, maybe others."""
        size = value.rows * value.columns
        flat = self._new()
        space = "" if value.pool is None else f", #memref_pool.space<@{value.pool}>"
        flat_type = f"memref<{size}xi8{space}>"
        self._emit(
            f"{flat} = memref.collapse_shape {value.name} [[0, 1]] : {value.type} into {flat_type}"
        )
        view = replace(
            value, name=self._new(), rows=size // 16, columns=16, stride=16, is_plain=True
        )
        shape = f"[{view.rows}, {view.columns}]"
        self._emit(
            f"{view.name} = memref.expand_shape {flat} [[0, 1]] output_shape {shape} : "
            f"{flat_type} into {view.type}"
        )
        return view

    # ---- Queues ----------------------------------------------------------------------------------

    def _start(self, block: Block) -> None:
        into = self._random.random() < 0.5
        pair = self._pair(
            block,
            source=lambda v: v.is_local != into and v.pool is not None,
            target=lambda v: v.is_local == into and v.pool is not None,
        )
        if pair is None:
            return
        source, target = pair
        queue = "load" if into else "store"
        after = self._after(block, queue, source.roots, target.roots)
        transfer = "in" if into else "out"
        token = self._new()
        self._emit(
            f"{token} = accel.start @npu.{transfer} {source.name} into {target.name}{after} : "
            f"{source.type}, {target.type}"
        )
        block.flights.append(Flight(token, queue, source.roots, target.roots))

    def _launch(self, block: Block) -> None:
        operands = self._operands(block)
        if operands is None or operands[0] == "invert":
            return
        name, source, target = operands
        reads = source.roots | (target.roots if name == "add" else NONE)
        after = self._after(block, "run", reads, target.roots)
        token = self._new()
        call = _device_call(name, source, target)
        place = call.index(" accumulate") if " accumulate" in call else call.index(" config")
        self._emit(f"{token} = accel.launch {call[:place]}{after}{call[place:]}")
        block.flights.append(Flight(token, "run", reads, target.roots))

    def _after(self, block: Block, queue: str, reads: Roots, writes: Roots) -> str:
        """Behind what it clashes with: by a wait of the host, by the queue's order, by tokens."""
        clashing = [f for f in block.flights if f.clashes(reads, writes)]
        waiting = [f for f in block.flights if f.queue == queue]
        if len(waiting) >= 3:
            self._wait(block, waiting[:2])
        elif self._random.random() < 0.3:
            self._wait(block, clashing)
        tokens = [
            f.token
            for f in block.flights
            if f in clashing and (f.queue != queue or self._random.random() < 0.3)
        ]
        return f" after ({', '.join(tokens)})" if tokens else ""

    # ---- Structure -------------------------------------------------------------------------------

    @contextmanager
    def _region(self, block: Block):
        yield block.inner()
        self._emit("}")

    def _loop(self, block: Block) -> None:
        head, number = self._loop_head(block)
        self._emit(f"{head} {{")
        with self._region(block) as inner:
            if number.most > 0:
                inner.numbers.append(number)
            self._fill_block(inner, self._random.randint(1, 6))

    def _loop_head(self, block: Block) -> tuple[str, Number]:
        """Bounds that are constants or numbers; many of them make no or one iteration."""
        low, step = self._random.choice(("%c0", "%c0", "%c0", "%c1")), "%c1"
        if self._random.random() < 0.2:
            step = "%c2"
        high = self._random.choice(block.numbers)
        name = self._new()
        return f"scf.for {name} = {low} to {high.name} step {step}", Number(name, high.most - 1)

    def _tiles(self, block: Block) -> None:
        """Rows through the device, tile by tile."""
        source = self._any(block, wanted=_is_tiled)
        target = self._any(block, wanted=_is_tiled, writes=True)
        if source is None or target is None or source.roots & target.roots:
            return
        self._settle(block, source.roots, target.roots)
        rows = self._random.choice((1, 2))
        count = min(source.rows, target.rows) // rows
        at, step, end = self._new(), self._new(), self._new()
        self._emit(f"{step} = arith.constant {rows} : index")
        self._emit(f"{end} = arith.constant {self._random.randint(0, count) * rows} : index")
        self._emit(f"scf.for {at} = %c0 to {end} step {step} {{")
        with self._region(block) as inner:
            number = Number(at, max(0, count - 1) * rows)
            inner.numbers.append(number)
            tiles = [self._tile(value, at, rows) for value in (source, target)]
            buffers = [
                Memref.plain(self._new(), pool, (rows, 16), self._root(), is_written=True)
                for pool in self._random.choices(LOCAL_POOLS, k=2)
            ]
            for buffer in buffers:
                self._emit(f"{buffer.name} = memref_pool.alloc : {buffer.type}")
            self._transfer(inner, tiles[0], buffers[0])
            name = self._random.choice(("double", "invert"))
            self._emit(f"accel.call {_device_call(name, *buffers)}")
            inner.values += buffers
            if self._random.random() < 0.5:
                self._fill_block(inner, self._random.randint(0, 3))
            self._transfer(inner, buffers[1], tiles[1])
            self._wait(inner, list(inner.flights))

    def _tile(self, value: Memref, at: str, rows: int) -> Memref:
        view = value.view(self._new(), (rows, 16), value.stride, None)
        return self._subview(value, view, f"{at}, 0")

    def _if(self, block: Block) -> None:
        source = self._any(block, wanted=lambda v: not v.is_local)
        if source is None:
            return
        self._settle(block, source.roots, NONE)
        self._emit(f"scf.if {self._condition(block, source)} {{")
        with self._region(block) as inner:
            self._fill_block(inner, self._random.randint(1, 4))
            if self._random.random() < 0.6:
                self._emit("} else {")
                self._fill_block(block.inner(), self._random.randint(1, 4))

    def _condition(self, block: Block, source: Memref) -> str:
        """Whether a byte of memory, or a number, is at least another."""
        condition, number = self._new(), self._new()
        if self._random.random() < 0.5:
            left, right = (self._random.choice(block.numbers).name for _ in range(2))
            self._emit(f"{condition} = arith.cmpi sge, {left}, {right} : index")
            return condition
        value = self._load(block, source)
        self._emit(f"{number} = arith.constant {self._random.randint(-60, 60)} : i8")
        self._emit(f"{condition} = arith.cmpi sge, {value}, {number} : i8")
        return condition

    def _nest(self, block: Block) -> None:
        """A copy as a nest of loops around one load and one store."""
        pair = self._pair(block, source=lambda _: True, target=lambda v: v.rows < 8)
        if pair is None or not _can_copy(*pair):
            return
        source, target = pair
        self._settle(block, source.roots, target.roots)
        rows, columns, i, j, value = (self._new() for _ in range(5))
        self._emit(f"{rows} = arith.constant {source.rows} : index")
        self._emit(f"{columns} = arith.constant {source.columns} : index")
        self._emit(f"scf.for {i} = %c0 to {rows} step %c1 {{")
        self._emit(f"scf.for {j} = %c0 to {columns} step %c1 {{")
        self._emit(f"{value} = memref.load {source.name}[{i}, {j}] : {source.type}")
        self._emit(f"memref.store {value}, {target.name}[{i}, {j}] : {target.type}")
        self._emit("}\n}")

    def _call(self, block: Block) -> None:
        """A function, with buffers that share no byte."""
        if not self._callees:
            return
        name, parameters = self._random.choice(self._callees)
        # A function may access the state, which is none of its arguments.
        state = STATE if self._has_state else NONE
        if any(flight.clashes(NONE, state) for flight in block.barred):
            return
        taken: Roots = NONE
        operands: list[Memref] = []
        for parameter in parameters:
            operand = self._any(block, wanted=_Fitting(parameter, taken), writes=True)
            if operand is None:
                plain = Memref.plain(
                    self._new(), parameter.pool, parameter.shape, self._root(), is_written=True
                )
                self._fresh(block, plain)
                operand = plain
            operands.append(operand)
            taken |= operand.roots
        self._settle(block, NONE, taken | state)
        names = [self._as(o, p) for o, p in zip(operands, parameters, strict=True)]
        types = ", ".join(parameter.type for parameter in parameters)
        self._emit(f"func.call @{name}({', '.join(names)}) : ({types}) -> ()")

    def _as(self, value: Memref, parameter: Memref) -> str:
        if value.type == parameter.type:
            return value.name
        name = self._new()
        self._emit(f"{name} = memref.cast {value.name} : {value.type} to {parameter.type}")
        return name

    # ---- Choices between buffers -----------------------------------------------------------------

    def _twins(self, block: Block) -> tuple[Memref, Memref] | None:
        one = self._any(block, wanted=lambda v: v.pool is not None, writes=True)
        if one is None or one.pool not in (*HOST_POOLS, *LOCAL_POOLS):
            return None
        other = self._any(
            block, wanted=lambda v: v.type == one.type and v.name != one.name, writes=True
        )
        if other is None and one.is_plain:
            other = Memref.plain(self._new(), one.pool, one.shape, self._root(), is_written=True)
            self._fresh(block, other)
        return None if other is None else (one, other)

    def _select(self, block: Block) -> None:
        twins = self._twins(block)
        source = self._any(block, wanted=lambda v: not v.is_local)
        if twins is None or source is None:
            return
        self._settle(block, source.roots, NONE)
        condition = self._condition(block, source)
        self.has_choice = True
        roots = twins[0].roots | twins[1].roots
        chosen = replace(twins[0], name=self._new(), roots=roots)
        names = f"{twins[0].name}, {twins[1].name}"
        self._emit(f"{chosen.name} = arith.select {condition}, {names} : {chosen.type}")
        block.values.append(chosen)

    def _swap(self, block: Block) -> None:
        """A loop that hands on two buffers, changed over or not."""
        twins = self._twins(block)
        if twins is None:
            return
        self.has_choice = True
        roots = twins[0].roots | twins[1].roots
        result, *names = (self._new() for _ in range(3))
        head, number = self._loop_head(block)
        first, second = (t.name for t in twins)
        types = f"{twins[0].type}, {twins[1].type}"
        self._emit(
            f"{result}:2 = {head} iter_args({names[0]} = {first}, {names[1]} = {second}) -> "
            f"({types}) {{"
        )
        with self._region(block) as inner:
            if number.most > 0:
                inner.numbers.append(number)
            inner.values += [replace(twins[0], name=name, roots=roots) for name in names]
            self._fill_block(inner, self._random.randint(1, 4))
            order = self._random.choice((names, names[::-1]))
            self._emit(f"scf.yield {', '.join(order)} : {types}")
        block.values += [
            replace(twins[0], name=f"{result}#{number}", roots=roots) for number in range(2)
        ]

    def _give(self, block: Block, port: Memref) -> None:
        """A result that is written once, at the end: from a buffer of its shape."""
        source = self._any(
            block,
            wanted=lambda v: v.shape == port.shape and not v.is_local,
        )
        if source is None:
            self._host_fill(port)
            return
        self._emit(f"memref_pool.copy {source.name} into {port.name} : {source.type}, {port.type}")


@dataclass(frozen=True)
class _Fitting:
    """Whether a value can be handed over for a parameter beside others."""

    parameter: Memref
    taken: Roots

    def __call__(self, value: Memref) -> bool:
        parameter = self.parameter
        if value.roots & self.taken or value.pool != parameter.pool:
            return False
        if value.type == parameter.type:
            return True
        return (
            not parameter.is_plain
            and value.shape == parameter.shape
            and value.stride == parameter.stride
        )


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


def _is_operand(value: Memref) -> bool:
    """Whether a device can be handed a pointer to it: bytes in a row, in its memory."""
    return value.is_local and (value.stride == value.columns or value.rows == 1)


def _is_tiled(value: Memref) -> bool:
    return value.pool in HOST_POOLS and value.columns == 16 and value.rows >= 2


def _device_call(name: str, source: Memref, target: Memref) -> str:
    accumulate = " accumulate [0]" if name == "add" else ""
    count = source.rows * source.columns
    return (
        f"@npu.{name} ins({source.name} : {source.type}) outs({target.name} : {target.type})"
        f"{accumulate} config {{count = {count} : i64}}"
    )
