"""The row graph: tensors as rows, and operators as sequences of steps that read and write rows.

A convolution with a kernel of 3 rows and one row of padding, on a tensor of 4 rows::

    step       0       1       2       3
    reads    [0, 2)  [0, 3)  [1, 4)  [2, 4)
    writes   [0, 1)  [1, 2)  [2, 3)  [3, 4)

A kernel with a dilation of 2 reads every other row of its spans.

Operators are in an order in which the program may run them one after the other.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from forebay.regions import Span
from forebay.support.arrays import Array


@dataclass(frozen=True)
class RowTensor:
    """A tensor of rows of equal size.

    `row_bytes` is 0 for a tensor in memory that is not planned. `is_input`: all rows are live from
    the beginning. `is_output`: all rows are live until the end. `is_contiguous`: its rows have
    fixed places relative to each other.
    """

    name: str
    rows: int
    row_bytes: int
    is_input: bool = False
    is_output: bool = False
    is_contiguous: bool = False

    @property
    def bytes(self) -> int:
        """Return the bytes of the whole tensor."""
        return self.rows * self.row_bytes


@dataclass(frozen=True, eq=False)
class RowSteps:
    """Rows that an operator accesses, and the first and the last step that does so."""

    rows: Array
    first: Array
    last: Array


@dataclass(frozen=True)
class RowAccess:
    """The rows of a tensor that each step of an operator reads, or writes.

    They are the first row of the span of the step, and every `distance`-th one behind it.
    """

    tensor: int
    spans: tuple[Span, ...]
    distance: int = 1

    @cached_property
    def slices(self) -> tuple[slice, ...]:
        """The rows of each step, as indices of an array of all rows."""
        return tuple(slice(span.start, span.stop, self.distance) for span in self.spans)

    @cached_property
    def counts(self) -> tuple[int, ...]:
        """The number of rows of each step."""
        return tuple(-(-span.size // self.distance) for span in self.spans)

    @cached_property
    def steps(self) -> RowSteps:
        """The accessed rows in order, and their steps."""
        first, last = (np.full(self.hull.stop, -1, np.int64) for _ in range(2))
        for step, of_step in enumerate(self.slices):
            last[of_step] = step
        for step in range(len(self.slices) - 1, -1, -1):
            first[self.slices[step]] = step
        rows = np.flatnonzero(last >= 0)
        return RowSteps(rows, first[rows], last[rows])

    @cached_property
    def hull(self) -> Span:
        """The rows of all steps."""
        hull = Span(0, 0)
        for span in self.spans:
            hull = hull.hull(span)
        return hull


@dataclass(frozen=True)
class RowOperator:
    """An operator that computes in steps, one after the other.

    `accumulators`: bytes that it needs from its first step to its last one if it runs step by step.
    `in_place`: the tensor of `reads` in whose rows the result may be: step `s` reads the row that
    it writes, element by element. `is_fixed`: it stays out of loops. `is_source`: it reads the rows
    of an input that the application hands in one by one.
    """

    name: str
    reads: tuple[RowAccess, ...]
    writes: tuple[RowAccess, ...]
    accumulators: int = 0
    in_place: tuple[int, ...] = ()
    is_fixed: bool = False
    is_source: bool = False

    @property
    def steps(self) -> int:
        """Return the number of steps."""
        return len(self.writes[0].spans) if self.writes else len(self.reads[0].spans)


@dataclass(frozen=True)
class RowGraph:
    """Tensors and operators; an access names a tensor by its number."""

    tensors: tuple[RowTensor, ...]
    operators: tuple[RowOperator, ...]

    @cached_property
    def readers(self) -> tuple[tuple[int, ...], ...]:
        """The operators that read each tensor, in order."""
        return self._users([op.reads for op in self.operators])

    @cached_property
    def writers(self) -> tuple[tuple[int, ...], ...]:
        """The operators that write each tensor, in order."""
        return self._users([op.writes for op in self.operators])

    def _users(self, accesses: Sequence[tuple[RowAccess, ...]]) -> tuple[tuple[int, ...], ...]:
        found: list[list[int]] = [[] for _ in self.tensors]
        for number, of_one in enumerate(accesses):
            for tensor in dict.fromkeys(access.tensor for access in of_one):
                found[tensor].append(number)
        return tuple(map(tuple, found))
