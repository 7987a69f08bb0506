"""Writes random integer programs: every op that wraps, nested loops, branches and whiles.

Nothing in them is undefined: shifts stay below the width, divisors are numbers other than 0 and
-1, and every loop ends.
"""

from __future__ import annotations

import random
from dataclasses import dataclass, field

WIDTHS = (8, 16, 32, 64)
ELEMENTS = 16
WRAPPING = ["addi", "subi", "muli", "andi", "ori", "xori", "maxsi", "minsi", "maxui", "minui"]
SHIFTS = ["shli", "shrsi", "shrui"]
DIVISIONS = ["divsi", "remsi", "divui", "remui", "floordivsi", "ceildivsi", "ceildivui"]
PREDICATES = ["eq", "ne", "slt", "sle", "sgt", "sge", "ult", "ule", "ugt", "uge"]


def write_program(seed: int) -> str:
    """A function `@main` over `%in0..3` and `%out0..3`, memrefs of 16 x i8, i16, i32, i64."""
    return _Writer(random.Random(seed)).program()


@dataclass
class _Writer:
    random: random.Random
    lines: list[str] = field(default_factory=list)
    scopes: list[dict[str, list[str]]] = field(default_factory=lambda: [{}])
    values: int = 0

    def program(self) -> str:
        self.block(0, self.random.randrange(10, 30))
        for i, width in enumerate(WIDTHS):
            value = self.pick(f"i{width}")
            at = self.op(f"arith.constant {self.random.randrange(ELEMENTS)} : index")
            self.lines.append(f"memref.store {value}, %out{i}[{at}] : {_memref(width)}")
        names = [
            f"%{kind}{i}: {_memref(w)}" for kind in ("in", "out") for i, w in enumerate(WIDTHS)
        ]
        return "\n".join([f"func.func @main({', '.join(names)}) {{", *self.lines, "return", "}"])

    def name(self) -> str:
        self.values += 1
        return f"%v{self.values}"

    def op(self, text: str, type_: str = "") -> str:
        """Write an op with a result, which later ops may use if its type is given."""
        name = self.name()
        self.lines.append(f"{name} = {text}")
        if type_:
            self.scopes[-1].setdefault(type_, []).append(name)
        return name

    def pick(self, type_: str) -> str:
        known = [value for scope in self.scopes for value in scope.get(type_, [])]
        if known and self.random.random() < 0.85:
            return self.random.choice(known[-6:])
        if type_ == "i1":
            return self.op(f"arith.constant {self.random.choice(['true', 'false'])}")
        if type_ == "index":
            return self.op(f"arith.constant {self.random.randrange(8)} : index")
        top = 2 ** (int(type_[1:]) - 1)
        number = self.random.choice([0, 1, 2, -1, 5, 127, top - 1, -top, top // 3, -top // 5])
        return self.op(f"arith.constant {number} : {type_}")

    def type(self) -> str:
        return f"i{self.random.choice(WIDTHS)}"

    def block(self, depth: int, length: int) -> None:
        for _ in range(length):
            chance = self.random.random()
            if depth < 3 and chance < 0.2:
                self.random.choice([self.for_, self.if_, self.while_])(depth)
            else:
                self.random.choice(
                    [self.wrap, self.wrap, self.shift, self.divide, self.convert, self.compare,
                     self.select, self.logic, self.load, self.store, self.scale]
                )()  # fmt: skip

    def wrap(self) -> None:
        type_ = self.type()
        operator = self.random.choice(WRAPPING)
        self.op(f"arith.{operator} {self.pick(type_)}, {self.pick(type_)} : {type_}", type_)

    def shift(self) -> None:
        type_ = self.type()
        most = self.op(f"arith.constant {int(type_[1:]) - 1} : {type_}")
        amount = self.op(f"arith.andi {self.pick(type_)}, {most} : {type_}")
        operator = self.random.choice(SHIFTS)
        self.op(f"arith.{operator} {self.pick(type_)}, {amount} : {type_}", type_)

    def divide(self) -> None:
        type_ = self.type()
        by = self.op(f"arith.constant {self.random.choice([1, 2, 3, 7, -3, 64, 100])} : {type_}")
        operator = self.random.choice(DIVISIONS)
        self.op(f"arith.{operator} {self.pick(type_)}, {by} : {type_}", type_)

    def convert(self) -> None:
        source, result = self.random.choice(["i1", self.type()]), self.type()
        if source == result:
            return
        is_wider = int(source[1:]) < int(result[1:])
        operator = self.random.choice(["extsi", "extui"]) if is_wider else "trunci"
        self.op(f"arith.{operator} {self.pick(source)} : {source} to {result}", result)

    def compare(self) -> None:
        type_ = self.type()
        predicate = self.random.choice(PREDICATES)
        self.op(f"arith.cmpi {predicate}, {self.pick(type_)}, {self.pick(type_)} : {type_}", "i1")

    def select(self) -> None:
        type_ = self.type()
        operands = f"{self.pick('i1')}, {self.pick(type_)}, {self.pick(type_)}"
        self.op(f"arith.select {operands} : {type_}", type_)

    def logic(self) -> None:
        operator = self.random.choice(["andi", "ori", "xori"])
        self.op(f"arith.{operator} {self.pick('i1')}, {self.pick('i1')} : i1", "i1")

    def place(self) -> str:
        most = self.op(f"arith.constant {ELEMENTS - 1} : index")
        return self.op(f"arith.andi {self.pick('index')}, {most} : index")

    def load(self) -> None:
        i, width = self.random.choice([*enumerate(WIDTHS)])
        buffer = f"%{self.random.choice(['in', 'out'])}{i}"
        self.op(f"memref.load {buffer}[{self.place()}] : {_memref(width)}", f"i{width}")

    def store(self) -> None:
        i, width = self.random.choice([*enumerate(WIDTHS)])
        value, place = self.pick(f"i{width}"), self.place()
        self.lines.append(f"memref.store {value}, %out{i}[{place}] : {_memref(width)}")

    def scale(self) -> None:
        """The product stays below 2^61, so that what is shifted fits an i32."""
        most = self.op("arith.constant 1073741823 : i32")
        multiplier = self.op(f"arith.andi {self.pick('i32')}, {most} : i32")
        shift = self.op(f"arith.constant {self.random.choice([31, 33, 40, 45])} : i8")
        mode = self.random.choice(["SINGLE_ROUND", "DOUBLE_ROUND"])
        self.op(
            f"tosa.apply_scale {self.pick('i32')}, {multiplier}, {shift} "
            f"{{rounding_mode = {mode}}} : (i32, i32, i8) -> i32",
            "i32",
        )

    def types(self) -> list[str]:
        return [self.type() for _ in range(self.random.choice([0, 1, 1, 2, 3]))]

    def open(self, arguments: list[str], types: list[str]) -> None:
        self.scopes.append({})
        for name, type_ in zip(arguments, types, strict=True):
            self.scopes[-1].setdefault(type_, []).append(name)

    def close(self, keyword: str, values: list[str], types: list[str], end: str) -> None:
        if values:
            self.lines.append(f"{keyword} {', '.join(values)} : {', '.join(types)}")
        self.lines.append(end)
        self.scopes.pop()

    def results(self, types: list[str]) -> tuple[str, str]:
        name = self.name()
        return name, f"{name}:{len(types)} = " if types else ""

    def bind(self, result: str, types: list[str]) -> None:
        for i, type_ in enumerate(types):
            self.scopes[-1].setdefault(type_, []).append(f"{result}#{i}")

    def for_(self, depth: int) -> None:
        types = self.types()
        inits = [self.pick(type_) for type_ in types]
        bounds = [(0, 0, 1), (1, 1, 2), (0, 1, 3, 4)]
        start, step, end = [
            self.op(f"arith.constant {self.random.choice(choice)} : index") for choice in bounds
        ]
        counter, carried = self.name(), [self.name() for _ in types]
        result, binding = self.results(types)
        carries = ", ".join(f"{a} = {b}" for a, b in zip(carried, inits, strict=True))
        carries = f"iter_args({carries}) -> ({', '.join(types)})" if types else ""
        self.lines.append(f"{binding}scf.for {counter} = {start} to {end} step {step} {carries} {{")
        self.open([counter, *carried], ["index", *types])
        self.block(depth + 1, self.random.randrange(1, 7))
        yielded = [self.grown(value, type_) for value, type_ in zip(carried, types, strict=True)]
        self.close("scf.yield", yielded, types, "}")
        self.bind(result, types)

    def grown(self, value: str, type_: str) -> str:
        if self.random.random() < 0.5:
            return self.op(f"arith.addi {value}, {self.pick(type_)} : {type_}")
        return self.pick(type_)

    def if_(self, depth: int) -> None:
        types, condition = self.types(), self.pick("i1")
        result, binding = self.results(types)
        yields = f"-> ({', '.join(types)})" if types else ""
        self.lines.append(f"{binding}scf.if {condition} {yields} {{")
        for end in ("} else {", "}"):
            self.open([], [])
            self.block(depth + 1, self.random.randrange(5))
            self.close("scf.yield", [self.pick(type_) for type_ in types], types, end)
        self.bind(result, types)

    def while_(self, depth: int) -> None:
        """Its first value counts up to a limit; the others are what chance makes of them."""
        types = ["i32", *self.types()]
        inits = [self.op("arith.constant 0 : i32"), *(self.pick(type_) for type_ in types[1:])]
        before, after = ([self.name() for _ in types] for _ in range(2))
        result, binding = self.results(types)
        carries = ", ".join(f"{a} = {b}" for a, b in zip(before, inits, strict=True))
        signature = f"({', '.join(types)}) -> ({', '.join(types)})"
        self.lines.append(f"{binding}scf.while ({carries}) : {signature} {{")
        self.open(before[1:], types[1:])
        self.block(depth + 1, self.random.choice([0, 0, 2]))
        limit = self.op(f"arith.constant {self.random.choice([0, 1, 3])} : i32")
        condition = self.op(f"arith.cmpi slt, {before[0]}, {limit} : i32")
        passed = [
            self.pick(type_) if self.random.random() < 0.4 else value
            for value, type_ in zip(before[1:], types[1:], strict=True)
        ]
        self.close(f"scf.condition({condition})", [before[0], *passed], types, "} do {")
        pairs = ", ".join(f"{a}: {b}" for a, b in zip(after, types, strict=True))
        self.lines.append(f"^bb0({pairs}):")
        self.open(after[1:], types[1:])
        self.block(depth + 1, self.random.randrange(4))
        one = self.op("arith.constant 1 : i32")
        count = self.op(f"arith.addi {after[0]}, {one} : i32")
        self.close("scf.yield", [count, *(self.pick(type_) for type_ in types[1:])], types, "}")
        self.bind(result, types)


def _memref(width: int) -> str:
    return f"memref<{ELEMENTS}xi{width}>"
