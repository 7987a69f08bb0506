"""Random programs of transfers and tokens, with branches and loops that inputs decide."""

from __future__ import annotations

import random
import re

HEAD = """accel.device @cpu kind "cpu" host
accel.device @npu kind "npu"
memref_pool.pool @dram workspace align 1 certificate <planner = "hand", peak = 48, lower_bound = 0>
memref_pool.pool @spad workspace local capacity 64 align 1 base 0 read [@npu] write [@npu] certificate <planner = "hand", peak = 32, lower_bound = 0>
accel.queue @npu.load on @npu symbol "npu_load" depth 99
accel.queue @npu.store on @npu symbol "npu_store" depth 99
accel.transfer @npu.mvin on @npu symbol "npu_mvin" from [@dram] to [@spad] rank 1 queue @npu.load
accel.transfer @npu.mvout on @npu symbol "npu_mvout" from [@spad] to [@dram] rank 1 queue @npu.store
#dram = #memref_pool.space<@dram>
#spad = #memref_pool.space<@spad>
!d = memref<16xi8, #dram>
!s = memref<16xi8, #spad>
"""  # noqa: E501
CHOICES = 4
"""Inputs that decide: of each branch and loop its own."""


class Program:
    """Text in the making."""

    def __init__(self, seed: int) -> None:
        self._random = random.Random(seed)
        self._names = 0
        self._choices = 0
        self._left = self._random.randint(4, 9)
        self._lines: list[str] = []

    def text(self, *, placed: bool = True) -> str:
        """The whole module, planned by hand or not; `@main` takes one byte for each choice."""
        self._emit("func.func @main(%f: memref<4xi8>, %out: memref<16xi8> {bufferize.result}) {")
        for value in range(CHOICES):
            self._emit(f"%c{value} = arith.constant {value} : index")
        self._emit("%zero = arith.constant 0 : i8")
        for number in range(3):
            place = f" at <@dram, {16 * number}>" if placed else ""
            self._emit(f"%d{number} = memref_pool.alloc{place} : !d")
            self._emit(f"linalg.fill ins(%zero : i8) outs(%d{number} : !d)")
        for number in range(2):
            place = f" at <@spad, {16 * number}>" if placed else ""
            self._emit(f"%s{number} = memref_pool.alloc{place} : !s")
            self._emit(f"accel.move @npu.mvin %d0 into %s{number} : !d, !s")
        tokens = self._block([], 0)
        for token in tokens:
            if self._random.random() < 0.85:
                self._emit(f"accel.wait {token}")
        self._emit("memref.copy %d0, %out : !d to memref<16xi8>\nreturn\n}")
        head = HEAD if placed else re.sub(" certificate <.*>", "", HEAD)
        return head + "\n".join(self._lines)

    def _emit(self, line: str) -> None:
        self._lines.append(line)

    def _new(self) -> str:
        self._names += 1
        return f"%v{self._names}"

    def _block(self, outer: list[str], depth: int) -> list[str]:
        """Ops on the tokens that are in scope; those of this block that are worth a wait."""
        tokens = list(outer)
        for _ in range(self._random.randint(1, 4)):
            if self._left <= 0:
                break
            self._left -= 1
            kinds = [self._start, self._start, self._wait, self._use]
            if depth < 2 and self._choices < CHOICES:
                kinds += [self._if, self._choose, self._loop, self._carry]
            self._random.choice(kinds)(tokens, depth)
        return tokens[len(outer) :]

    def _start(self, tokens: list[str], _: int) -> None:
        token, pick = self._new(), self._random.randrange
        after = ""
        if tokens and self._random.random() < 0.4:
            after = f" after({self._random.choice(tokens)})"
        if pick(2):
            self._emit(
                f"{token} = accel.start @npu.mvin %d{pick(3)} into %s{pick(2)}{after} : !d, !s"
            )
        else:
            self._emit(
                f"{token} = accel.start @npu.mvout %s{pick(2)} into %d{pick(3)}{after} : !s, !d"
            )
        tokens.append(token)

    def _wait(self, tokens: list[str], _: int) -> None:
        if tokens:
            self._emit(f"accel.wait {tokens.pop(self._random.randrange(len(tokens)))}")

    def _use(self, _: list[str], __: int) -> None:
        pick = self._random.randrange
        if pick(2):
            self._emit(f"linalg.fill ins(%zero : i8) outs(%d{pick(3)} : !d)")
        else:
            self._emit(f"accel.move @npu.mvin %d{pick(3)} into %s{pick(2)} : !d, !s")

    def _choice(self) -> str:
        value = self._new()
        self._emit(f"{value} = memref.load %f[%c{self._choices}] : memref<4xi8>")
        self._choices += 1
        return value

    def _flag(self) -> str:
        value, flag = self._choice(), self._new()
        self._emit(f"{flag} = arith.cmpi ne, {value}, %zero : i8")
        return flag

    def _region(self, tokens: list[str], depth: int) -> list[str]:
        """A region may wait for what is outside of it, which the other path then does not."""
        found = self._block(tokens, depth + 1)
        for token in found:
            if self._random.random() < 0.8:
                self._emit(f"accel.wait {token}")
        return found

    def _if(self, tokens: list[str], depth: int) -> None:
        waits = tokens.pop() if tokens and self._random.random() < 0.5 else None
        self._emit(f"scf.if {self._flag()} {{")
        if waits:
            self._emit(f"accel.wait {waits}")
        self._region(tokens, depth)
        self._emit("} else {")
        if waits and self._random.random() < 0.8:
            self._emit(f"accel.wait {waits}")
        self._region(tokens, depth)
        self._emit("}")

    def _choose(self, tokens: list[str], depth: int) -> None:
        flag, result = self._flag(), self._new()
        self._emit(f"{result} = scf.if {flag} -> !accel.token {{")
        for last in (False, True):
            inner: list[str] = []
            self._start(inner, depth)
            self._emit(f"scf.yield {inner[0]} : !accel.token")
            self._emit("}" if last else "} else {")
        tokens.append(result)

    def _trips(self) -> str:
        value, count = self._choice(), self._new()
        self._emit(f"{count} = arith.index_cast {value} : i8 to index")
        return self._random.choice([count, count, count, "%c1", "%c2"])

    def _loop(self, tokens: list[str], depth: int) -> None:
        self._emit(f"scf.for {self._new()} = %c0 to {self._trips()} step %c1 {{")
        self._region([], depth)
        self._emit("}")

    def _carry(self, tokens: list[str], depth: int) -> None:
        trips, result, carried = self._trips(), self._new(), self._new()
        initial: list[str] = []
        self._start(initial, depth)
        self._emit(
            f"{result} = scf.for {self._new()} = %c0 to {trips} step %c1 "
            f"iter_args({carried} = {initial[0]}) -> (!accel.token) {{"
        )
        inner: list[str] = []
        steps = [lambda: self._start(inner, depth), lambda: self._emit(f"accel.wait {carried}")]
        if self._random.random() < 0.6:
            steps.reverse()
        for step in steps:
            step()
            if self._random.random() < 0.4:
                self._use([], depth)
        self._emit(f"scf.yield {inner[0]} : !accel.token\n}}")
        tokens.append(result)
