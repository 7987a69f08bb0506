"""What a running trace has recorded so far."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager
from contextvars import ContextVar

from forebay.tracing.errors import fail
from forebay.tracing.lines import AuthorLine, author_line
from forebay.tracing.record import Computation, ConstantValue, ParameterValue, Primitive, Trace

_running: ContextVar[Recorder | None] = ContextVar("running", default=None)


class Recorder:
    """The values and steps of one run of an author's function.

    `word` is the width of integers whose width nothing else says.
    """

    def __init__(self, word: int) -> None:
        self.word = word
        self.parameters: list[ParameterValue] = []
        self.steps: list[Computation] = []
        self._constants: dict[tuple[int, int], ConstantValue] = {}
        self._count = 0

    def parameter(self, name: str, width: int) -> int:
        """Return the value of a new parameter."""
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
        return known.number

    def compute(
        self,
        primitive: Primitive,
        operands: tuple[int, ...],
        width: int,
        line: AuthorLine | None = None,
    ) -> int:
        """Trace a step, of the author's current line unless another is given; return its value."""
        if _running.get() is not self:
            fail("a value of a trace is used outside of the traced function")
        step = Computation(self._new(), primitive, operands, width, line or author_line())
        self.steps.append(step)
        return step.number

    def finished(self, result: int, line: AuthorLine) -> Trace:
        """Return what is recorded, with the result of the function at this line."""
        return Trace(
            tuple(self.parameters), tuple(self._constants.values()), tuple(self.steps), result, line
        )

    def _new(self) -> int:
        self._count += 1
        return self._count - 1


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
