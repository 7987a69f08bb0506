"""The loop instructions: a matrix product or a convolution that the hardware cuts into tiles."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, ClassVar, TypeAlias

from forebay.isa.bits import BitFields, Bits
from forebay.isa.gemmini.instructions import RS2, GemminiActivation


@dataclass(frozen=True)
class LoopWsBounds(BitFields):
    """Numbers of tiles of I, J and K, and the lanes that the last tile of each lacks."""

    funct: ClassVar[int] = 9

    tiles_i: Annotated[int, Bits(15, 0, RS2)]
    tiles_j: Annotated[int, Bits(31, 16, RS2)]
    tiles_k: Annotated[int, Bits(47, 32, RS2)]
    pad_i: Annotated[int, Bits(15, 0)] = 0
    pad_j: Annotated[int, Bits(31, 16)] = 0
    pad_k: Annotated[int, Bits(47, 32)] = 0


@dataclass(frozen=True)
class LoopWsAddressesAB(BitFields):
    """Main-memory addresses of A and B."""

    funct: ClassVar[int] = 10

    a: Annotated[int, Bits(63, 0)]
    b: Annotated[int, Bits(63, 0, RS2)]


@dataclass(frozen=True)
class LoopWsAddressesDC(BitFields):
    """Main-memory addresses of D (0 means none) and C."""

    funct: ClassVar[int] = 11

    d: Annotated[int, Bits(63, 0)]
    c: Annotated[int, Bits(63, 0, RS2)]


@dataclass(frozen=True)
class LoopWsStridesAB(BitFields):
    """Elements between rows of A and of B in main memory."""

    funct: ClassVar[int] = 12

    a: Annotated[int, Bits(63, 0)]
    b: Annotated[int, Bits(63, 0, RS2)]


@dataclass(frozen=True)
class LoopWsStridesDC(BitFields):
    """Elements between rows of D and of C in main memory."""

    funct: ClassVar[int] = 13

    d: Annotated[int, Bits(63, 0)]
    c: Annotated[int, Bits(63, 0, RS2)]


@dataclass(frozen=True)
class LoopWs(BitFields):
    """Run the matrix product that the configuration describes."""

    funct: ClassVar[int] = 8

    accumulate: Annotated[bool, Bits(0, 0)] = False
    c_full_width: Annotated[bool, Bits(1, 1)] = False
    d_int8: Annotated[bool, Bits(2, 2)] = False
    activation: Annotated[GemminiActivation, Bits(10, 8)] = GemminiActivation.NONE
    b_half: Annotated[int, Bits(17, 16)] = 0
    a_half: Annotated[int, Bits(19, 18)] = 0
    a_transposed: Annotated[bool, Bits(0, 0, RS2)] = False
    b_transposed: Annotated[bool, Bits(1, 1, RS2)] = False
    residual_add: Annotated[bool, Bits(2, 2, RS2)] = False


@dataclass(frozen=True)
class LoopConvImage(BitFields):
    """Sizes of the whole convolution."""

    funct: ClassVar[int] = 16

    batches: Annotated[int, Bits(15, 0)]
    in_rows: Annotated[int, Bits(31, 16)]
    in_channels: Annotated[int, Bits(47, 32)]
    out_channels: Annotated[int, Bits(63, 48)]
    out_rows: Annotated[int, Bits(15, 0, RS2)]
    pooled_rows: Annotated[int, Bits(31, 16, RS2)]
    out_columns: Annotated[int, Bits(47, 32, RS2)]
    stride: Annotated[int, Bits(55, 48, RS2)]
    padding: Annotated[int, Bits(63, 56, RS2)]


@dataclass(frozen=True)
class LoopConvPooling(BitFields):
    """Pooling and kernel, and the first sizes of the tile."""

    funct: ClassVar[int] = 17

    pool_padding: Annotated[int, Bits(7, 0)]
    pool_stride: Annotated[int, Bits(15, 8)]
    pool_size: Annotated[int, Bits(31, 16)]
    pooled_columns: Annotated[int, Bits(47, 32)]
    kernel: Annotated[int, Bits(63, 48)]
    tile_out_channels: Annotated[int, Bits(15, 0, RS2)]
    tile_pooled_columns: Annotated[int, Bits(31, 16, RS2)]
    tile_pooled_rows: Annotated[int, Bits(47, 32, RS2)]
    tile_batches: Annotated[int, Bits(63, 48, RS2)]


@dataclass(frozen=True)
class LoopConvTile(BitFields):
    """Input side of the tile, with its paddings."""

    funct: ClassVar[int] = 18

    left_pad: Annotated[int, Bits(15, 0)]
    tile_channels: Annotated[int, Bits(31, 16)]
    kernel_columns: Annotated[int, Bits(47, 32)]
    kernel_rows: Annotated[int, Bits(63, 48)]
    in_columns: Annotated[int, Bits(15, 0, RS2)]
    pool_left_pad: Annotated[int, Bits(23, 16, RS2)]
    down_pad: Annotated[int, Bits(31, 24, RS2)]
    up_pad: Annotated[int, Bits(47, 32, RS2)]
    right_pad: Annotated[int, Bits(63, 48, RS2)]


@dataclass(frozen=True)
class LoopConvStrides(BitFields):
    """Dilation, paddings of the pooling, and strides in main memory."""

    funct: ClassVar[int] = 19

    dilation: Annotated[int, Bits(7, 0)]
    pool_down_pad: Annotated[int, Bits(17, 10)]
    pool_up_pad: Annotated[int, Bits(28, 21)]
    pool_right_pad: Annotated[int, Bits(47, 32)]
    tile_out_rows: Annotated[int, Bits(63, 48)]
    tile_out_columns: Annotated[int, Bits(15, 0, RS2)]
    out_stride: Annotated[int, Bits(31, 16, RS2)]
    weight_stride: Annotated[int, Bits(47, 32, RS2)]
    in_stride: Annotated[int, Bits(63, 48, RS2)]


@dataclass(frozen=True)
class LoopConvAddressesWO(BitFields):
    """Main-memory addresses of the weights and the output."""

    funct: ClassVar[int] = 20

    weights: Annotated[int, Bits(63, 0)]
    output: Annotated[int, Bits(63, 0, RS2)]


@dataclass(frozen=True)
class LoopConvAddressesBI(BitFields):
    """Main-memory addresses of the bias and the input."""

    funct: ClassVar[int] = 21

    bias: Annotated[int, Bits(63, 0)]
    input: Annotated[int, Bits(63, 0, RS2)]


@dataclass(frozen=True)
class LoopConv(BitFields):
    """Run the convolution that the configuration describes."""

    funct: ClassVar[int] = 15

    no_bias: Annotated[bool, Bits(0, 0)] = False
    rotated_180: Annotated[bool, Bits(1, 1)] = False
    out_1203: Annotated[bool, Bits(2, 2)] = False
    weight_1203: Annotated[bool, Bits(3, 3)] = False
    weight_0132: Annotated[bool, Bits(4, 4)] = False
    in_3120: Annotated[bool, Bits(5, 5)] = False
    depthwise: Annotated[bool, Bits(6, 6)] = False
    pixels_per_row: Annotated[int, Bits(15, 8)] = 1
    b_half: Annotated[int, Bits(17, 16)] = 0
    a_half: Annotated[int, Bits(19, 18)] = 0
    no_pool: Annotated[bool, Bits(0, 0, RS2)] = False
    downsampled: Annotated[bool, Bits(1, 1, RS2)] = False
    input_dilated: Annotated[bool, Bits(2, 2, RS2)] = False
    activation: Annotated[GemminiActivation, Bits(4, 3, RS2)] = GemminiActivation.NONE


LoopInstruction: TypeAlias = (
    LoopWsBounds
    | LoopWsAddressesAB
    | LoopWsAddressesDC
    | LoopWsStridesAB
    | LoopWsStridesDC
    | LoopWs
    | LoopConvImage
    | LoopConvPooling
    | LoopConvTile
    | LoopConvStrides
    | LoopConvAddressesWO
    | LoopConvAddressesBI
    | LoopConv
)

LOOP_INSTRUCTIONS = (
    LoopWsBounds,
    LoopWsAddressesAB,
    LoopWsAddressesDC,
    LoopWsStridesAB,
    LoopWsStridesDC,
    LoopWs,
    LoopConvImage,
    LoopConvPooling,
    LoopConvTile,
    LoopConvStrides,
    LoopConvAddressesWO,
    LoopConvAddressesBI,
    LoopConv,
)
