"""The model of a processor's code for a loop nest: costs of its instructions, and registers."""

from __future__ import annotations

from msgspec import Struct

_MANY_RESULTS = 4096


class VectorUnit(Struct, frozen=True):
    """Instructions on vectors of `lanes` elements of 8 bits, with their costs.

    `load` is a load with what follows it until the elements can be multiplied, an addition of a
    zero point included unless `sums_factors` is set: then the zero point is multiplied by the sum
    of the other factors, to which `dot` adds each of their vectors. `dot` adds all products of two
    vectors to a sum. `lane` adds one product; None if there is no such instruction. A vector
    whose elements can be multiplied takes `registers` registers for integers. A vector may have
    fewer elements, but not less than `fewest`, if that is not 0. `dot` adds to not more than
    `most_sums` registers. With `has_short_offsets` each row of an operand needs an address. If
    `sums` is not 1, `dot` adds to a vector of so many partial sums. With `fills` a load can leave
    elements out at once; elsewhere it takes an instruction or more for each of them. If `offset` is
    given, there is no `dot` with another zero point. Where no loop over points is left, compilers
    keep the vectors of one operand for all positions, so there may be at most `most_held` of them.
    """

    lanes: int
    load: int
    dot: int
    registers: int
    lane: int | None = None
    sums_factors: bool = False
    fewest: int = 0
    most_sums: int | None = None
    has_short_offsets: bool = False
    sums: int = 1
    fills: bool = False
    offset: int | None = None
    most_held: int | None = None


class LaneUnit(Struct, frozen=True):
    """Instructions on vectors of `lanes` neighbouring results, with their costs.

    `store` is the cost of one result: requantisation, clamp and store. Sums of `sums` neighbours
    may be a vector from the beginning, where `load` is the cost of a vector of factors, `offset`
    that of a zero point, and `add` adds a product to each sum. Not more than `most` such vectors
    fit the registers. Operators without sums compute `elements` neighbouring elements at once, one
    by one for 0.

    If `dot_length` is not 1, `add` adds so many products to each sum, those of neighbours along the
    last dimension. Then `load` and `offset` are costs of a word of first factors as well, and there
    is no `add` with another zero point than `only_zero_point`.
    """

    lanes: int
    store: float
    sums: int
    load: int
    offset: int
    add: int
    most: int
    elements: int = 0
    dot_length: int = 1
    only_zero_point: int = 0


class FloatUnit(Struct, frozen=True):
    """Instructions on single-precision numbers, with their costs.

    `registers` is the number of values that the innermost loop can keep: accumulators, elements and
    a product. A product and its addition to a sum, each of which is rounded, cost `multiply_add`.
    `store` is the cost of one result. `max_block` limits the positions that are computed together,
    and `max_products` the products in the body of the innermost loop. An address reaches `reach`
    elements behind it; 0 for any. Without `has_exact_vectors`, the processor has instructions on
    vectors of floats with other results, which no compiler may use. `sums` are units whose sums are
    vectors of neighbouring results.
    """

    registers: int
    multiply_add: int = 2
    store: int = 8
    max_block: int = 16
    max_products: int = 32
    reach: int = 0
    has_exact_vectors: bool = True
    sums: tuple[LaneUnit, ...] = ()


class Cpu(Struct, frozen=True):
    """Costs in instructions, for the model of `forebay.cpus.costs.blocks`.

    `registers` is the number of integers that the innermost loop can keep: accumulators, elements,
    addresses and counters. A value more is stored and loaded in each step, which costs `spill`.
    `step` is the cost of a step of a loop: count, compare, branch. `store` is the cost of one
    result: requantisation, clamp and store. `max_block` limits the positions that are computed
    together, and `max_products` the products in the body of the innermost loop; layers with less
    than 4,096 results repay the bytes of a larger body less, and have the limit `few_products`, if
    there is one. A body whose products use each element of an operand once may have `max_used_once`
    of them; of such elements `loaded_ahead` are in registers at the same time. Compilers keep
    elements that one of the next `carried` iterations of the innermost loop reads again; an inner
    loop of not more than `unrolled` iterations is part of the body of the one around it. `vectors`
    are the units with instructions on vectors, and `lanes` is the one for results. Further units
    have `sums` in vectors, too. Where one of `peeled` positions of a dimension or more is in no
    block, these may get code of their own, if that number is not 0. An instruction of code has the
    price of `code` executed ones per inference. `copy` is the cost of an element that is copied
    with its neighbours. Where words are added to vectors of sums, second factors of more than
    `cache` bytes are read once for all positions, channel by channel. `floats` are the instructions
    on single-precision numbers; without them sums of such products have no schedule. `extremes` are
    the lengths of vectors of 8-bit integers that have minima and maxima, the longest first. `flags`
    are those of GCC for code with this schedule, after the ones of the board.
    """

    name: str
    registers: int
    spill: int = 2
    step: int = 3
    store: int = 20
    max_block: int = 8
    max_products: int = 16
    few_products: int | None = None
    max_used_once: int = 0
    loaded_ahead: int = 1
    carried: int = 3
    unrolled: int = 1
    vectors: tuple[VectorUnit, ...] = ()
    lanes: LaneUnit | None = None
    sums: tuple[LaneUnit, ...] = ()
    peeled: int = 0
    code: int = 0
    copy: float = 0.6
    cache: int = 0
    floats: FloatUnit | None = None
    extremes: tuple[int, ...] = ()
    flags: tuple[str, ...] = ()

    def products(self, results: int) -> int:
        """Return the limit of the products in the body of the innermost loop of a layer."""
        if self.few_products is not None and results < _MANY_RESULTS:
            return self.few_products
        return self.max_products

    @property
    def offset(self) -> int:
        """What is best added to elements of words; 0 unless a unit needs another offset."""
        return next((unit.offset for unit in self.vectors if unit.offset is not None), 0)
