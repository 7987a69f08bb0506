"""Random structured programs on buffers of 64 bytes: loops that swap, branches, calls, views."""

from __future__ import annotations

import random

HEAD = """#ws = #memref_pool.space<@ws>
!b = memref<4x16xi8, #ws>
!f = memref<64xi8, #ws>
memref_pool.pool @ws workspace
"""
CONSTANTS = """
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
"""
PORTS = '%in: !b {accel.name = "in"}, %out: !b {accel.name = "out", bufferize.result}'


class Program:
    """Text in the making. Every buffer is filled where it is allocated: no read is undefined."""

    def __init__(self, seed: int) -> None:
        self._random = random.Random(seed)
        self._names = 0
        self._left = self._random.randint(6, 22)
        self._lines: list[str] = []

    def text(self) -> str:
        """The whole module."""
        for callee in ("first", "second"):
            self._emit(f"func.func private @{callee}(%p: !b, %q: !b) {{{CONSTANTS}")
            self._straight(["%p", "%q"])
            self._emit("return\n}")
        self._emit(f"func.func @main({PORTS}, %go: i1, %n: index) {{{CONSTANTS}")
        self._fill("%out")
        known = self._block(["%in", "%out"], 0)
        for callee in ("first", "second"):
            self._emit(f"func.call @{callee}({self._pick(known)}, %out) : (!b, !b) -> ()")
        self._emit(f"memref.copy {self._pick(known)}, %out : !b to !b\nreturn\n}}")
        return HEAD + "\n".join(self._lines)

    def _emit(self, line: str) -> None:
        self._lines.append(line)

    def _new(self) -> str:
        self._names += 1
        return f"%v{self._names}"

    def _pick(self, known: list[str]) -> str:
        return self._random.choice(known)

    def _fill(self, buffer: str) -> None:
        value = self._new()
        self._emit(f"{value} = arith.constant {self._names % 128} : i8")
        self._emit(f"linalg.fill ins({value} : i8) outs({buffer} : !b)")

    def _alloc(self) -> str:
        buffer = self._new()
        self._emit(f"{buffer} = memref_pool.alloc : !b")
        self._fill(buffer)
        return buffer

    def _straight(self, known: list[str]) -> None:
        for _ in range(self._random.randint(2, 4)):
            known.append(self._alloc())
            self._emit(f"memref.copy {self._pick(known)}, {self._pick(known)} : !b to !b")

    def _block(self, outer: list[str], depth: int) -> list[str]:
        known = list(outer)
        kinds = [self._use, self._view, self._choose, self._call]
        nested = [self._loop, self._swap, self._if, self._choice, self._while]
        for _ in range(self._random.randint(1, 5)):
            if self._left > 0:
                self._left -= 1
                kind = self._random.choice(kinds * 2 + nested * (depth < 3))
                known += kind(known, depth)
        return known

    def _use(self, known: list[str], _: int) -> list[str]:
        if self._random.random() < 0.4:
            return [self._alloc()]
        if self._random.random() < 0.3:
            self._fill(self._pick(known))
        self._emit(f"memref.copy {self._pick(known)}, {self._pick(known)} : !b to !b")
        return []

    def _view(self, known: list[str], _: int) -> list[str]:
        flat, back = self._new(), self._new()
        source = self._pick(known)
        self._emit(f"{flat} = memref.collapse_shape {source} [[0, 1]] : !b into !f")
        self._emit(
            f"{back} = memref.expand_shape {flat} [[0, 1]] output_shape [4, 16] : !f into !b"
        )
        return [back]

    def _choose(self, known: list[str], _: int) -> list[str]:
        value = self._new()
        self._emit(f"{value} = arith.select %go, {self._pick(known)}, {self._pick(known)} : !b")
        return [value]

    def _call(self, known: list[str], _: int) -> list[str]:
        callee = self._random.choice(("first", "second"))
        operands = f"{self._pick(known)}, {self._pick(known)}"
        self._emit(f"func.call @{callee}({operands}) : (!b, !b) -> ()")
        return []

    def _loop(self, known: list[str], depth: int) -> list[str]:
        self._emit(f"scf.for {self._new()} = %c0 to %n step %c1 {{")
        self._block(known, depth + 1)
        self._emit("}")
        return []

    def _swap(self, known: list[str], depth: int) -> list[str]:
        result, p, q = self._new(), self._new(), self._new()
        a, b = self._pick(known), self._pick(known)
        carried = f"iter_args({p} = {a}, {q} = {b}) -> (!b, !b)"
        self._emit(f"{result}:2 = scf.for {self._new()} = %c0 to %n step %c1 {carried} {{")
        self._block([*known, p, q], depth + 1)
        one, other = self._random.choice(((p, q), (q, p), (a, p), (q, b)))
        self._emit(f"scf.yield {one}, {other} : !b, !b\n}}")
        return [f"{result}#0", f"{result}#1"]

    def _if(self, known: list[str], depth: int) -> list[str]:
        self._emit("scf.if %go {")
        self._block(known, depth + 1)
        if self._random.random() < 0.6:
            self._emit("} else {")
            self._block(known, depth + 1)
        self._emit("}")
        return []

    def _choice(self, known: list[str], depth: int) -> list[str]:
        result = self._new()
        self._emit(f"{result} = scf.if %go -> !b {{")
        self._emit(f"scf.yield {self._pick(self._block(known, depth + 1))} : !b\n}} else {{")
        self._emit(f"scf.yield {self._pick(self._block(known, depth + 1))} : !b\n}}")
        return [result]

    def _while(self, known: list[str], depth: int) -> list[str]:
        result, p, q = self._new(), self._new(), self._new()
        initial = self._pick(known)
        self._emit(f"{result} = scf.while ({p} = {initial}) : (!b) -> !b {{")
        forwarded = self._pick(self._block([*known, p], depth + 1))
        self._emit(f"scf.condition(%go) {forwarded} : !b\n}} do {{\n^bb0({q}: !b):")
        self._block([*known, q], depth + 1)
        self._emit(f"scf.yield {self._pick(known)} : !b\n}}")
        return [result]
