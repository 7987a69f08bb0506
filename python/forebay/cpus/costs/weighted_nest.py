"""A loop nest with the costs of its operands, and the schedules that it may have."""

from __future__ import annotations

from collections.abc import Mapping

from msgspec import Struct

from forebay.cpus.cpu import LaneUnit, VectorUnit
from forebay.regions import LoopNest, OperandAccess

BlockSizes = Mapping[int, int]
"""The positions that are computed together, by dimension; 1 for a dimension without entry."""


class WordDots(Struct, frozen=True):
    """`lanes` positions of a dimension, whose sums get the products of words at once.

    These are all positions of that dimension. Words have `dot_length` elements along the last one.
    """

    dim: int
    lanes: int
    dot_length: int


class WeightedNest(Struct, frozen=True):
    """A loop nest whose body multiplies and adds, with its costs.

    `ins` are the inputs that the body reads. `offsets[i]` is the number of instructions that an
    element of `ins[i]` needs before it is multiplied, such as 1 for its zero point. Dimensions in
    `single` take no blocks, and the reduction dimensions in `rows`, which select rows that lie
    anywhere, only their whole extent. Along those in `words`, all of `ins` can be read in vectors.
    Along those in `stored`, results may be stored in vectors, and along those in `sums` their sums
    may be vectors, too. `dots` has the positions to whose sums whole words are added. If `hoists`
    is set, the sums of the other factors by which a zero point is multiplied are computed outside
    of the loops over the positions. `zero_point` is the constant that is added to elements of
    words. The nest runs `runs` times per inference, for each position of the dimensions in
    `varying`, which is known at run time only. With `is_float` elements and sums are in
    single precision.
    """

    nest: LoopNest
    ins: tuple[OperandAccess, ...]
    offsets: tuple[int, ...]
    single: frozenset[int] = frozenset()
    words: tuple[int, ...] = ()
    stored: tuple[int, ...] = ()
    sums: tuple[int, ...] = ()
    hoists: bool = False
    zero_point: int = 0
    runs: int = 1
    varying: frozenset[int] = frozenset()
    rows: frozenset[int] = frozenset()
    dots: WordDots | None = None
    is_float: bool = False


class Candidate(Struct, frozen=True):
    """Blocks with words of `lanes` elements along a dimension, and results stored in vectors."""

    block: BlockSizes
    word: int | None = None
    lanes: int = 1
    unit: VectorUnit | None = None
    stored: int | None = None
    sums: LaneUnit | None = None
    """The unit that has the sums in vectors along `stored`, in words of as many elements."""
    peeled: tuple[int, ...] = ()
    """Dimensions whose positions that are in no block have code of their own."""
