"""The ops that a running trace has recorded so far."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import replace
from typing import NoReturn

from forebay.tracing.errors import TraceError, fail
from forebay.tracing.lines import AuthorLine, author_line
from forebay.tracing.record import (
    ConstantValue,
    CountedLoop,
    ElementAddress,
    ElementLoad,
    ElementStore,
    ParameterValue,
    PointerParameter,
    Primitive,
    PrimitiveResult,
    Trace,
    TraceStep,
    VariableRead,
    VariableWrite,
)

_running: ContextVar[Recorder | None] = ContextVar("running", default=None)


class Recorder:
    """The values and steps of one run of an author's function.

    `word` is the width of integers whose width nothing else says. Steps go to the innermost open
    block: the function's, or that of a loop.
    """

    def __init__(self, word: int) -> None:
        self.word = word
        self.pointers: list[PointerParameter] = []
        self.parameters: list[ParameterValue] = []
        self._constants: dict[tuple[int, int], ConstantValue] = {}
        self._blocks: list[list[TraceStep]] = [[]]
        self._block_of: dict[int, list[TraceStep]] = {}
        self._loops: list[CountedLoop] = []
        self._count = 0

    def pointer(self, name: str, width: int) -> int:
        """Return the value of a new pointer parameter."""
        self.pointers.append(PointerParameter(self._new(), name, width))
        return self.pointers[-1].number

    def parameter(self, name: str, width: int) -> int:
        """Return the value of a new scalar parameter."""
        self.parameters.append(ParameterValue(self._new(), name, width))
        return self.parameters[-1].number

    def constant(self, value: int, width: int) -> int:
        """Return the value of a constant, which must fit the width."""
        least, largest = (0, 1) if width == 1 else (-(1 << (width - 1)), (1 << (width - 1)) - 1)
        if not least <= value <= largest:
            fail(f"{value} does not fit an Int{width}, which holds {least} to {largest}")
        known = self._constants.get((value, width))
        if known is None:
            known = ConstantValue(self._new(), value, width, author_line())
            self._constants[value, width] = known
            self._block_of[known.number] = self._blocks[0]
        return known.number

    def compute(
        self,
        primitive: Primitive,
        operands: tuple[int, ...],
        width: int,
        line: AuthorLine | None = None,
    ) -> int:
        """Record a step, of the author's current line unless another is given; return its value."""
        self._require(*operands)
        line = line or author_line()
        number = self._new()
        self._blocks[-1].append(PrimitiveResult(number, primitive, operands, width, line))
        return number

    def load(self, address: ElementAddress, width: int) -> int:
        """Record the load of an element and return its value."""
        self._require(*address.numbers)
        number = self._new()
        self._blocks[-1].append(ElementLoad(number, address, width, author_line()))
        return number

    def store(self, address: ElementAddress, value: int) -> None:
        """Record the store of an element."""
        self._require(*address.numbers, value)
        self._blocks[-1].append(ElementStore(address, value, author_line()))

    def declare(self, value: int) -> int:
        """Return a new variable with this first value."""
        variable = self._new()
        self.write(variable, value)
        return variable

    def write(self, variable: int, value: int) -> None:
        """Record a new value of a variable."""
        self._require(variable, value)
        self._blocks[-1].append(VariableWrite(variable, value, author_line()))

    def read(self, variable: int, width: int) -> int:
        """Record a read of a variable and return its value."""
        self._require(variable)
        number = self._new()
        self._blocks[-1].append(VariableRead(number, variable, width, author_line()))
        return number

    def begin_loop(self, start: int, stop: int, step: int, width: int) -> int:
        """Record the following steps as the body of a loop; return the counter."""
        self._require(start, stop)
        each, line = self.constant(step, width), author_line()
        self._blocks.append([])
        counter = self._new()
        self._loops.append(CountedLoop(counter, start, stop, each, width, (), line))
        return counter

    def end_loop(self, counter: int) -> None:
        """End the body of the loop with this counter."""
        if self._loops[-1].counter != counter:
            self._refuse_left_loop()
        steps = tuple(self._blocks.pop())
        self._blocks[-1].append(replace(self._loops.pop(), steps=steps))

    def finished(self, result: int | None, line: AuthorLine) -> Trace:
        """Return what is recorded, with the result of the function at this line."""
        if self._loops:
            self._refuse_left_loop()
        return Trace(
            tuple(self.pointers),
            tuple(self.parameters),
            tuple(self._constants.values()),
            tuple(self._blocks[0]),
            result,
            line,
        )

    def _new(self) -> int:
        self._count += 1
        self._block_of[self._count - 1] = self._blocks[-1]
        return self._count - 1

    def _refuse_left_loop(self) -> NoReturn:
        raise TraceError(
            "a traced loop is left by break or return; all of its iterations run, so bound it "
            "by its limits: loop(start, stop)",
            self._loops[-1].line,
        )

    def _require(self, *numbers: int) -> None:
        """Refuse values that do not exist at this point of the function."""
        if _running.get() is not self:
            fail("a value of a trace is used outside of the traced function")
        for number in numbers:
            home = self._block_of[number]
            if not any(block is home for block in self._blocks):
                fail(
                    "a value from inside of a loop is used behind the loop; declare "
                    "total = LocalVariable(0) in front of it, set total.value inside, and read it "
                    "behind"
                )


@contextmanager
def recording(word: int) -> Generator[Recorder]:
    """Run an author's function within this context, which gives the recorder of its values."""
    recorder = Recorder(word)
    token = _running.set(recorder)
    try:
        yield recorder
    finally:
        _running.reset(token)


def running_recorder(what: str) -> Recorder:
    """Return the recorder of the running trace; refuse `what` outside of one."""
    recorder = _running.get()
    if recorder is None:
        fail(f"{what} is only for a traced function, while it is traced")
    return recorder
