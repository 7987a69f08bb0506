"""Programs for VTA: instructions of operations on tiles, their dependency bits and words."""

from forebay.isa.vta.codec import encode_vta
from forebay.isa.vta.instructions import AluOp, VtaMemory
from forebay.isa.vta.programs.micro_op_memory import MicroOpMemory
from forebay.isa.vta.programs.moves import (
    Border,
    DramBlock,
    ImageSource,
    load_block,
    load_padded_image,
    store_block,
)
from forebay.isa.vta.programs.order import with_tokens
from forebay.isa.vta.programs.products import TileProduct, combine_sums, multiply_tiles
from forebay.isa.vta.programs.step import ProgramStep

__all__ = [
    "AluOp",
    "Border",
    "DramBlock",
    "ImageSource",
    "MicroOpMemory",
    "ProgramStep",
    "TileProduct",
    "VtaMemory",
    "combine_sums",
    "encode_vta",
    "load_block",
    "load_padded_image",
    "multiply_tiles",
    "store_block",
    "with_tokens",
]
