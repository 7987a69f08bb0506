"""Random programs of loops that carry tensors, as IR and as what NumPy makes of it."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.int32]
Values = dict[str, Any]
Compute = Callable[[Values], Array]
Tensor = tuple[str, Compute]

SIZE = 4
TYPE = f"tensor<{SIZE}xi32>"
ROUTINE = "^bb0(%p: i32, %q: i32, %o: i32): %t = arith.addi %p, %q : i32 linalg.yield %t : i32"
HEAD = """  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32"""


@dataclass
class Program:
    """A program as it is drawn; `text` and `expected` when it is whole."""

    draw: random.Random
    count: int
    lines: list[str] = field(default_factory=list[str])
    names: int = 0
    outputs: list[Tensor] = field(default_factory=list[Tensor])

    @property
    def text(self) -> str:
        """The module."""
        ports = ", ".join(f"%a{i}: {TYPE}" for i in range(self.count))
        types = ", ".join([TYPE] * self.count)
        results = ", ".join(name for name, _ in self.outputs)
        body = "\n".join([HEAD, *self.lines])
        return (
            f"func.func @main({ports}) -> ({types}) {{\n{body}\n  return {results} : {types}\n}}\n"
        )

    def expected(self, inputs: Sequence[Array]) -> list[Array]:
        """The outputs."""
        values = {f"%a{i}": value for i, value in enumerate(inputs)}
        return [compute(values) for _, compute in self.outputs]

    def name(self) -> str:
        self.names += 1
        return f"%v{self.names}"

    def add(self, line: str) -> None:
        self.lines.append(line)


def drawn(seed: int) -> Program:
    """A loop over up to four tensors, with loops inside, permutations, old and new values."""
    program = Program(random.Random(seed), 1 + seed % 4)
    inputs = [_argument(f"%a{i}") for i in range(program.count)]
    program.outputs = _loop(program, [program.draw.choice(inputs) for _ in inputs], inputs, 0)
    return program


def _argument(name: str) -> Tensor:
    return name, lambda values: values[name]


def _expression(program: Program, known: Sequence[Tensor], depth: int) -> Tensor:
    draw = program.draw
    (name, compute), (other, compute_other) = draw.choice(known), draw.choice(known)
    kind = draw.choice(("insert", "add", "reverse", "over", "loop"))
    result = program.name()
    if kind == "loop" and depth < 2:
        inits = [draw.choice(known) for _ in range(draw.randint(1, 3))]
        return draw.choice(_loop(program, inits, known, depth + 1))
    if kind == "insert":
        program.add(f"{result} = tensor.insert %one into {name}[%c1] : {TYPE}")
        return result, lambda values: _inserted(compute(values))
    target = draw.choice((name, other)) if kind == "over" else program.name()
    if kind != "over":
        program.add(f"{target} = tensor.empty() : {TYPE}")
    place = f"{SIZE - 1} - d0" if kind == "reverse" else "d0"
    maps = f"affine_map<(d0) -> ({place})>, affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>"
    program.add(
        f'{result} = linalg.generic {{indexing_maps = [{maps}], iterator_types = ["parallel"]}} '
        f"ins({name}, {other} : {TYPE}, {TYPE}) outs({target} : {TYPE}) {{ {ROUTINE} }} -> {TYPE}"
    )
    step = -1 if kind == "reverse" else 1
    return result, lambda values: compute(values)[::step] + compute_other(values)


def _inserted(value: Array) -> Array:
    changed = value.copy()
    changed[1] = 1
    return changed


def _loop(
    program: Program, inits: Sequence[Tensor], known: Sequence[Tensor], depth: int
) -> list[Tensor]:
    """A `scf.for` or a `scf.while` whose condition hands its values on in any order."""
    draw, count, trips = program.draw, len(inits), program.draw.randint(0, 4)
    key, bound = program.name(), program.name()
    carried = [_carried(program.name(), key, i) for i in range(count)]
    order = [draw.randrange(count) for _ in inits]
    is_for = draw.random() < 0.5
    types = ", ".join([TYPE] * count)
    counter = program.name()
    program.add(f"{bound} = arith.constant {trips} : {'index' if is_for else 'i32'}")
    if is_for:
        order = list(range(count))
        start = ", ".join(f"{c} = {i}" for (c, _), (i, _) in zip(carried, inits, strict=True))
        program.add(
            f"{key}:{count} = scf.for {counter} = %c0 to {bound} step %c1 iter_args({start}) "
            f"-> ({types}) {{"
        )
    else:
        _condition(program, key, bound, inits, order)
        arguments = ", ".join(f"{name}: {TYPE}" for name, _ in carried)
        program.add(f"^bb0({arguments}, {counter}: i32):")
    inside = [*carried, draw.choice(known)]
    for _ in range(draw.randint(0, 2)):
        inside.append(_expression(program, inside, depth))
    yielded = [draw.choice(inside) for _ in inits]
    values = ", ".join(name for name, _ in yielded)
    if is_for:
        program.add(f"scf.yield {values} : {types} }}")
    else:
        program.add(f"{counter}n = arith.addi {counter}, %one : i32")
        program.add(f"scf.yield {values}, {counter}n : {types}, i32 }}")
    run = _iterations(key, inits, yielded, order, trips)
    return [_result(f"{key}#{i}", run, i) for i in range(count)]


def _condition(
    program: Program, key: str, bound: str, inits: Sequence[Tensor], order: Sequence[int]
) -> None:
    types = ", ".join([TYPE] * len(inits))
    before = [program.name() for _ in inits]
    counter = program.name()
    start = ", ".join(f"{b} = {i}" for b, (i, _) in zip(before, inits, strict=True))
    handed = ", ".join(before[i] for i in order)
    program.add(
        f"{key}:{len(inits) + 1} = scf.while ({start}, {counter} = %zero) : ({types}, i32) "
        f"-> ({types}, i32) {{"
    )
    program.add(f"{counter}c = arith.cmpi slt, {counter}, {bound} : i32")
    program.add(f"scf.condition({counter}c) {handed}, {counter} : {types}, i32 }} do {{")


def _carried(name: str, key: str, index: int) -> Tensor:
    return name, lambda values: values[key][index]


def _result(name: str, run: Callable[[Values], list[Array]], index: int) -> Tensor:
    return name, lambda values: run(values)[index]


def _iterations(
    key: str, inits: Sequence[Tensor], yielded: Sequence[Tensor], order: Sequence[int], trips: int
) -> Callable[[Values], list[Array]]:
    def run(values: Values) -> list[Array]:
        current = [compute(values) for _, compute in inits]
        current = [current[i] for i in order]
        for _ in range(trips):
            inner = {**values, key: current}
            current = [compute(inner) for _, compute in yielded]
            current = [current[i] for i in order]
        return current

    return run
