"""Random modules on tensors with random constraints, and what they demand, noted while writing."""

from __future__ import annotations

import random
from dataclasses import dataclass, field

CALLER = ""
Place = tuple[str, bool]
"""A pool, and whether its holder may overwrite what is there."""


@dataclass
class Use:
    """A use at `time`, in `block`: by a reader in one of `pools`, or tied to `slot`."""

    value: int
    block: str
    time: int
    pools: frozenset[str] = frozenset()
    slot: int | None = None
    overwrites: bool = False
    always_copied: bool = False


@dataclass
class Model:
    """The program as its constraints: places per slot, (slot, size, is constant) per value."""

    slots: list[set[Place]] = field(default_factory=list)
    values: list[tuple[int, int, bool]] = field(default_factory=list)
    uses: list[Use] = field(default_factory=list)


@dataclass(frozen=True)
class Named:
    """A tensor in the text; `whole` unless it begins inside of another one."""

    text: str
    number: int
    size: int
    whole: bool = True

    @property
    def type(self) -> str:
        return f"tensor<{self.size}xi8>"


@dataclass(frozen=True)
class Intrinsic:
    """Operands as (access, pools that they may be in)."""

    name: str
    operands: tuple[tuple[str, frozenset[str]], ...]


class Program:
    """Text and model in the making."""

    def __init__(self, source: random.Random) -> None:
        self._random = source
        self.model = Model()
        self._lines: list[str] = []
        self._names = 0
        self._time = 0
        self._machine()
        self._runs = 1
        self._callees: list[tuple[str, int, Named | None]] = []

    # ---- The machine -----------------------------------------------------------------------------

    def _machine(self) -> None:
        devices = ["cpu", "d0", "d1"]
        self._lines += ['accel.device @cpu kind "cpu" host']
        self._lines += [f'accel.device @{name} kind "npu"' for name in devices[1:]]
        self.work = [f"w{i}" for i in range(self._random.randint(1, 3))]
        self.rom = [f"r{i}" for i in range(self._random.randint(1, 2))]
        self.reads: dict[str, set[str]] = {name: set() for name in devices}
        self.writes: dict[str, set[str]] = {name: set() for name in devices}
        for pool in (*self.work, *self.rom):
            readers = [d for d in devices if self._random.random() < 0.7] or ["cpu"]
            writers = [d for d in devices if self._random.random() < 0.7] or ["cpu"]
            for names, right in ((readers, self.reads), (writers, self.writes)):
                for name in names:
                    right[name].add(pool)
            kind = "workspace" if pool in self.work else "constant"
            rights = [f"[{', '.join('@' + n for n in names)}]" for names in (readers, writers)]
            writable = f" write {rights[1]}" if pool in self.work else ""
            self._lines.append(f"memref_pool.pool @{pool} {kind} read {rights[0]}{writable}")
        self.intrinsics = [self._intrinsic(index) for index in range(3)]

    def _intrinsic(self, index: int) -> Intrinsic:
        device = self._random.choice(["d0", "d1"])
        accesses = self._random.choice([("in", "out"), ("in", "in", "out"), ("inout",)])
        operands: list[tuple[str, frozenset[str]]] = []
        texts: list[str] = []
        for number, access in enumerate(accesses):
            pools = self._pools_for(access)
            listed = f", pools = [{', '.join('@' + p for p in sorted(pools))}]" if pools else ""
            texts.append(f'#accel.operand<name = "o{number}", access = {access}{listed}>')
            operands.append((access, pools or self._rights(device, access)))
        name = f"@{device}.f{index}"
        self._lines.append(
            f'accel.intrinsic {name} on @{device} symbol "f{index}" operands [{", ".join(texts)}]'
        )
        return Intrinsic(name, tuple(operands))

    def _pools_for(self, access: str) -> frozenset[str]:
        if self._random.random() < 0.4:
            return frozenset()
        known = [*self.work, *self.rom] if access == "in" else self.work
        return frozenset(self._random.sample(known, self._random.randint(1, len(known))))

    def _rights(self, device: str, access: str) -> frozenset[str]:
        found = {*self.work, *self.rom}
        if access != "out":
            found &= self.reads[device]
        if access != "in":
            found &= self.writes[device] & set(self.work)
        return frozenset(found)

    # ---- Notes -----------------------------------------------------------------------------------

    def _slot(self, places: set[Place]) -> int:
        self.model.slots.append(places)
        return len(self.model.slots) - 1

    def _value(self, text: str, size: int, slot: int, *, constant: bool = False) -> Named:
        self.model.values.append((slot, size * self._runs, constant))
        return Named(text, len(self.model.values) - 1, size)

    def _computed(self, pools: frozenset[str] | set[str] | None = None) -> int:
        allowed = self.work if pools is None else [p for p in self.work if p in pools]
        return self._slot({(pool, True) for pool in allowed})

    def _anywhere(self) -> int:
        work = {(pool, bit) for pool in (*self.work, CALLER) for bit in (True, False)}
        return self._slot(work | {(pool, False) for pool in self.rom})

    def _read(self, value: Named, block: str, pools: frozenset[str] | set[str]) -> None:
        self.model.uses.append(Use(value.number, block, self._time, frozenset(pools)))

    def _tie(
        self, value: Named, block: str, slot: int, *, overwrites: bool, always_copied: bool = False
    ) -> None:
        use = Use(value.number, block, self._time, frozenset(), slot, overwrites, always_copied)
        self.model.uses.append(use)

    def _new(self) -> str:
        self._names += 1
        return f"%v{self._names}"

    def _emit(self, line: str) -> None:
        self._time += 1
        self._lines.append(line)

    @property
    def host_reads(self) -> set[str]:
        return {*self.reads["cpu"], CALLER}

    @property
    def host_writes(self) -> set[str]:
        return self.writes["cpu"] & set(self.work)

    # ---- The program -----------------------------------------------------------------------------

    def text(self, length: int) -> str:
        """The whole module; `length` is the number of ops in `@main`."""
        if self._random.random() < 0.6:
            self._function(self._random.randint(1, 2))
        self._emit("func.func @main(%x: tensor<8xi8>, %i: index, %b: i8) {")
        self._emit("%zero = arith.constant 0 : index\n%one = arith.constant 1 : index")
        known = [self._value("%x", 8, self._slot({(CALLER, False)}))]
        self._block(known, "main", length, depth=0)
        while self._callees:
            self._call(known, "main", 0)
        self._emit("return\n}")
        return "\n".join(self._lines) + "\n"

    def _function(self, calls: int) -> None:
        self._runs = calls
        slot = self._anywhere()
        self._emit(
            "func.func private @callee(%p: tensor<8xi8>, %i: index, %b: i8) -> tensor<8xi8> {"
        )
        self._emit("%zero = arith.constant 0 : index\n%one = arith.constant 1 : index")
        known = [self._value("%p", 8, slot)]
        self._block(known, "callee", 2, depth=1)
        result = self._random.choice([value for value in known if value.size == 8])
        given = self._computed()
        self._emit(f"return {result.text} : tensor<8xi8>\n}}")
        self._tie(result, "callee", given, overwrites=True)
        self._callees = [("callee", slot, Named("", given, 8))] * calls
        self._runs = 1

    def _block(self, known: list[Named], block: str, length: int, depth: int) -> None:
        kinds = [self._splat, self._intrinsic_call, self._intrinsic_call, self._insert]
        kinds += [self._extract, self._constant, self._slice]
        for _ in range(length):
            outer = [self._loop, self._call] if depth == 0 else []
            self._random.choice([*kinds, *outer])(known, block, depth)

    def _splat(self, known: list[Named], block: str, _: int) -> None:
        size, name = self._random.choice([8, 16]), self._new()
        slot = self._computed(self.host_writes)
        self._emit(f"{name} = tensor.splat %b : tensor<{size}xi8>")
        known.append(self._value(name, size, slot))

    def _constant(self, known: list[Named], block: str, _: int) -> None:
        name, slot = self._new(), self._slot({(pool, False) for pool in self.rom})
        self._emit(f"{name} = arith.constant dense<{self._names}> : tensor<8xi8>")
        known.append(self._value(name, 8, slot, constant=True))

    def _extract(self, known: list[Named], block: str, _: int) -> None:
        value = self._random.choice(known)
        self._emit(f"{self._new()} = tensor.extract {value.text}[%i] : {value.type}")
        self._read(value, block, self.host_reads)

    def _insert(self, known: list[Named], block: str, _: int) -> None:
        value, name = self._random.choice(known), self._new()
        slot = self._computed(self.host_writes)
        self._emit(f"{name} = tensor.insert %b into {value.text}[%i] : {value.type}")
        self._tie(value, block, slot, overwrites=True)
        known.append(self._value(name, value.size, slot))

    def _slice(self, known: list[Named], block: str, _: int) -> None:
        value, name = self._random.choice(known), self._new()
        half = value.size // 2
        offset = self._random.choice([0, half])
        slot = self._anywhere()
        self._emit(
            f"{name} = tensor.extract_slice {value.text}[{offset}] [{half}] [1] : {value.type} to "
            f"tensor<{half}xi8>"
        )
        self._tie(value, block, slot, overwrites=False)
        view = self._value(name, half, slot)
        whole = value.whole and offset == 0
        known.append(Named(view.text, view.number, half, whole))

    def _intrinsic_call(self, known: list[Named], block: str, _: int) -> None:
        intrinsic = self._random.choice(self.intrinsics)
        ins = [self._random.choice(known) for access, _ in intrinsic.operands if access == "in"]
        access, pools = intrinsic.operands[-1]
        name, slot = self._new(), self._computed(pools)
        if access == "inout":
            out = self._random.choice(known)
            self._emit(
                f"{name} = accel.call {intrinsic.name} outs({out.text} : {out.type}) accumulate [0]"
                f" -> {out.type}"
            )
            self._tie(out, block, slot, overwrites=True)
            known.append(self._value(name, out.size, slot))
            return
        empty, size = self._new(), self._random.choice([8, 16])
        self._emit(f"{empty} = tensor.empty() : tensor<{size}xi8>")
        texts, types = ", ".join(v.text for v in ins), ", ".join(v.type for v in ins)
        self._emit(
            f"{name} = accel.call {intrinsic.name} ins({texts} : {types}) "
            f"outs({empty} : tensor<{size}xi8>) -> tensor<{size}xi8>"
        )
        for value, (_, allowed) in zip(ins, intrinsic.operands, strict=False):
            self._read(value, block, allowed)
        known.append(self._value(name, size, slot))

    def _loop(self, known: list[Named], block: str, depth: int) -> None:
        initial, carried, result = self._random.choice(known), self._new(), self._new()
        slot, inner = self._computed(), f"{block}/{result}"
        self._emit(
            f"{result} = scf.for {self._new()} = %zero to %i step %one "
            f"iter_args({carried} = {initial.text}) -> ({initial.type}) {{"
        )
        self._tie(initial, block, slot, overwrites=True)
        inside = [*known, self._value(carried, initial.size, slot)]
        self._block(inside, inner, 2, depth + 1)
        yielded = self._random.choice([value for value in inside if value.size == initial.size])
        self._emit(f"scf.yield {yielded.text} : {initial.type}\n}}")
        self._tie(yielded, inner, slot, overwrites=True)
        known.append(self._value(result, initial.size, slot))

    def _call(self, known: list[Named], block: str, _: int) -> None:
        if not self._callees:
            return
        name, slot, given = self._callees.pop()
        argument, result = self._random.choice([v for v in known if v.size == 8]), self._new()
        self._emit(
            f"{result} = call @{name}({argument.text}, %i, %b) : "
            "(tensor<8xi8>, index, i8) -> tensor<8xi8>"
        )
        self._tie(argument, block, slot, overwrites=False, always_copied=not argument.whole)
        assert given is not None
        known.append(self._value(result, 8, given.number))
