"""Gemmini's instructions: a funct number and two 64-bit operands, word 0 (rs1) and word 1 (rs2)."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import IntEnum
from typing import Annotated, ClassVar, TypeAlias

from forebay.isa.bits import BitFields, Bits

RS2 = 1


class Dataflow(IntEnum):
    """The operand that stays in the array between computes: the sums, or the weights."""

    OUTPUT_STATIONARY = 0
    WEIGHT_STATIONARY = 1


class GemminiActivation(IntEnum):
    """The function after scaling. The default hardware has no other."""

    NONE = 0
    RELU = 1


@dataclass(frozen=True)
class LocalAddress(BitFields):
    """A row of the scratchpad or the accumulator, with flags; all ones (`NO_ROWS`) means none.

    `accumulate` adds what is written to an accumulator row to what is there. `full_width` reads
    accumulator rows as int32, neither scaled nor activated.
    """

    row: Annotated[int, Bits(25, 0)]
    accumulator: Annotated[bool, Bits(31, 31)] = False
    accumulate: Annotated[bool, Bits(30, 30)] = False
    full_width: Annotated[bool, Bits(29, 29)] = False
    normalisation: Annotated[int, Bits(28, 26)] = 0

    @property
    def is_none(self) -> bool:
        """Return whether the address means no rows at all."""
        return self == NO_ROWS


NO_ROWS = LocalAddress((1 << 26) - 1, True, True, True, 7)


@dataclass(frozen=True)
class ConfigEx(BitFields):
    """Configure the array: dataflow, transposes, strides of A and C, the output-stationary shift.

    With `strides_only`, only the two strides change. `accumulator_scale` belongs to operands in the
    accumulator, which the functional simulator does not have.
    """

    funct: ClassVar[int] = 0

    dataflow: Annotated[Dataflow, Bits(2, 2)]
    activation: Annotated[GemminiActivation, Bits(4, 3)] = GemminiActivation.NONE
    strides_only: Annotated[bool, Bits(7, 7)] = False
    a_transposed: Annotated[bool, Bits(8, 8)] = False
    b_transposed: Annotated[bool, Bits(9, 9)] = False
    a_stride: Annotated[int, Bits(31, 16)] = 1
    accumulator_scale: Annotated[float, Bits(63, 32)] = 1.0
    shift: Annotated[int, Bits(31, 0, RS2)] = 0
    c_stride: Annotated[int, Bits(63, 48, RS2)] = 1
    kind: Annotated[int, Bits(1, 0)] = field(default=0, init=False)


@dataclass(frozen=True)
class ConfigLd(BitFields):
    """Configure move-ins number `load`: bytes between rows in memory, scale, and local layout.

    `shrunk` move-ins to the accumulator read int8. `block_stride` is in local rows between blocks
    of as many columns as the array has lanes.
    """

    funct: ClassVar[int] = 0

    load: Annotated[int, Bits(4, 3)]
    stride: Annotated[int, Bits(63, 0, RS2)]
    block_stride: Annotated[int, Bits(31, 16)] = 16
    scale: Annotated[float, Bits(63, 32)] = 1.0
    shrunk: Annotated[bool, Bits(2, 2)] = False
    pixel_repeat: Annotated[int, Bits(15, 8)] = 1
    kind: Annotated[int, Bits(1, 0)] = field(default=1, init=False)


@dataclass(frozen=True)
class ConfigSt(BitFields):
    """Configure move-outs: bytes between rows in memory, scale, activation, and max-pooling.

    `pool_stride` 0 means no pooling. `pooled_row_length` is the length of a row of the pooled image
    in memory; `pooled_rows` and `pooled_columns` are what one move-out makes.
    """

    funct: ClassVar[int] = 0

    stride: Annotated[int, Bits(31, 0, RS2)]
    scale: Annotated[float, Bits(63, 32, RS2)] = 1.0
    activation: Annotated[GemminiActivation, Bits(3, 2)] = GemminiActivation.NONE
    pool_stride: Annotated[int, Bits(5, 4)] = 0
    pool_window: Annotated[int, Bits(7, 6)] = 0
    pad_up: Annotated[int, Bits(9, 8)] = 0
    pad_left: Annotated[int, Bits(11, 10)] = 0
    pooled_row_length: Annotated[int, Bits(31, 24)] = 0
    pooled_rows: Annotated[int, Bits(39, 32)] = 0
    pooled_columns: Annotated[int, Bits(47, 40)] = 0
    input_rows: Annotated[int, Bits(55, 48)] = 0
    input_columns: Annotated[int, Bits(63, 56)] = 0
    kind: Annotated[int, Bits(1, 0)] = field(default=2, init=False)


@dataclass(frozen=True)
class _Move(BitFields):
    address: Annotated[int, Bits(63, 0)]
    local: Annotated[LocalAddress, Bits(31, 0, RS2)]
    rows: Annotated[int, Bits(63, 48, RS2)]
    columns: Annotated[int, Bits(47, 32, RS2)]


@dataclass(frozen=True)
class Mvin(_Move):
    """Move rows from main memory into local rows, as load configuration 0 says."""

    funct: ClassVar[int] = 2
    load: ClassVar[int] = 0


@dataclass(frozen=True)
class Mvin2(Mvin):
    """As `Mvin`, with load configuration 1."""

    funct: ClassVar[int] = 1
    load: ClassVar[int] = 1


@dataclass(frozen=True)
class Mvin3(Mvin):
    """As `Mvin`, with load configuration 2."""

    funct: ClassVar[int] = 14
    load: ClassVar[int] = 2


@dataclass(frozen=True)
class Mvout(_Move):
    """Move local rows out to main memory, as the store configuration says."""

    funct: ClassVar[int] = 3


@dataclass(frozen=True)
class Preload(BitFields):
    """Name B (weight stationary) or D (output stationary), and C, for the next compute."""

    funct: ClassVar[int] = 6

    operand: Annotated[LocalAddress, Bits(31, 0)]
    rows: Annotated[int, Bits(63, 48)]
    columns: Annotated[int, Bits(47, 32)]
    c: Annotated[LocalAddress, Bits(31, 0, RS2)]
    c_rows: Annotated[int, Bits(63, 48, RS2)]
    c_columns: Annotated[int, Bits(47, 32, RS2)]


@dataclass(frozen=True)
class _Compute(BitFields):
    a: Annotated[LocalAddress, Bits(31, 0)]
    a_rows: Annotated[int, Bits(63, 48)]
    a_columns: Annotated[int, Bits(47, 32)]
    operand: Annotated[LocalAddress, Bits(31, 0, RS2)]
    rows: Annotated[int, Bits(63, 48, RS2)]
    columns: Annotated[int, Bits(47, 32, RS2)]


@dataclass(frozen=True)
class ComputePreloaded(_Compute):
    """Load the array with what the last preload named and multiply A.

    `operand` is D (weight stationary) or B (output stationary).
    """

    funct: ClassVar[int] = 4


@dataclass(frozen=True)
class ComputeAccumulated(_Compute):
    """Multiply A with the weights that are in the array, or continue the sums that are in it."""

    funct: ClassVar[int] = 5


@dataclass(frozen=True)
class Flush(BitFields):
    """Empty the table of address translations; it does not wait for moves."""

    funct: ClassVar[int] = 7

    skip: Annotated[bool, Bits(0, 0)] = False


@dataclass(frozen=True)
class Fence:
    """RISC-V's `fence`: the processor waits until Gemmini is idle. No instruction of Gemmini."""


GemminiInstruction: TypeAlias = (
    ConfigEx
    | ConfigLd
    | ConfigSt
    | Mvin
    | Mvout
    | Preload
    | ComputePreloaded
    | ComputeAccumulated
    | Flush
)
