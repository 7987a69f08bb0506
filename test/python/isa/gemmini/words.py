"""The fields of Gemmini's operands, written down from the programming model alone.

For each instruction the funct number, and (field, operand, high bit, low bit) of each field, whose
value is a plain number or a float32 pattern.
"""

ADDRESS = [("row", 25, 0), ("normalisation", 28, 26), ("full_width", 29, 29)]
ADDRESS += [("accumulate", 30, 30), ("accumulator", 31, 31)]
MOVE = [("address", 1, 63, 0), ("local", 2, 31, 0), ("columns", 2, 47, 32), ("rows", 2, 63, 48)]
COMPUTE = [("a", 1, 31, 0), ("a_columns", 1, 47, 32), ("a_rows", 1, 63, 48)]
COMPUTE += [("operand", 2, 31, 0), ("columns", 2, 47, 32), ("rows", 2, 63, 48)]

FIELDS = {
    "ConfigEx": (
        0,
        [
            ("kind", 1, 1, 0),
            ("dataflow", 1, 2, 2),
            ("activation", 1, 4, 3),
            ("strides_only", 1, 7, 7),
            ("a_transposed", 1, 8, 8),
            ("b_transposed", 1, 9, 9),
            ("a_stride", 1, 31, 16),
            ("accumulator_scale", 1, 63, 32),
            ("shift", 2, 31, 0),
            ("c_stride", 2, 63, 48),
        ],
    ),
    "ConfigLd": (
        0,
        [
            ("kind", 1, 1, 0),
            ("shrunk", 1, 2, 2),
            ("load", 1, 4, 3),
            ("pixel_repeat", 1, 15, 8),
            ("block_stride", 1, 31, 16),
            ("scale", 1, 63, 32),
            ("stride", 2, 63, 0),
        ],
    ),
    "ConfigSt": (
        0,
        [
            ("kind", 1, 1, 0),
            ("activation", 1, 3, 2),
            ("pool_stride", 1, 5, 4),
            ("pool_window", 1, 7, 6),
            ("pad_up", 1, 9, 8),
            ("pad_left", 1, 11, 10),
            ("pooled_row_length", 1, 31, 24),
            ("pooled_rows", 1, 39, 32),
            ("pooled_columns", 1, 47, 40),
            ("input_rows", 1, 55, 48),
            ("input_columns", 1, 63, 56),
            ("stride", 2, 31, 0),
            ("scale", 2, 63, 32),
        ],
    ),
    "Mvin": (2, MOVE),
    "Mvin2": (1, MOVE),
    "Mvin3": (14, MOVE),
    "Mvout": (3, MOVE),
    "Preload": (
        6,
        [
            ("operand", 1, 31, 0),
            ("columns", 1, 47, 32),
            ("rows", 1, 63, 48),
            ("c", 2, 31, 0),
            ("c_columns", 2, 47, 32),
            ("c_rows", 2, 63, 48),
        ],
    ),
    "ComputePreloaded": (4, COMPUTE),
    "ComputeAccumulated": (5, COMPUTE),
    "Flush": (7, [("skip", 1, 0, 0)]),
    "LoopWsBounds": (
        9,
        [
            ("pad_i", 1, 15, 0),
            ("pad_j", 1, 31, 16),
            ("pad_k", 1, 47, 32),
            ("tiles_i", 2, 15, 0),
            ("tiles_j", 2, 31, 16),
            ("tiles_k", 2, 47, 32),
        ],
    ),
    "LoopWsAddressesAB": (10, [("a", 1, 63, 0), ("b", 2, 63, 0)]),
    "LoopWsAddressesDC": (11, [("d", 1, 63, 0), ("c", 2, 63, 0)]),
    "LoopWsStridesAB": (12, [("a", 1, 63, 0), ("b", 2, 63, 0)]),
    "LoopWsStridesDC": (13, [("d", 1, 63, 0), ("c", 2, 63, 0)]),
    "LoopWs": (
        8,
        [
            ("accumulate", 1, 0, 0),
            ("c_full_width", 1, 1, 1),
            ("d_int8", 1, 2, 2),
            ("activation", 1, 10, 8),
            ("b_half", 1, 17, 16),
            ("a_half", 1, 19, 18),
            ("a_transposed", 2, 0, 0),
            ("b_transposed", 2, 1, 1),
            ("residual_add", 2, 2, 2),
        ],
    ),
    "LoopConvImage": (
        16,
        [
            ("batches", 1, 15, 0),
            ("in_rows", 1, 31, 16),
            ("in_channels", 1, 47, 32),
            ("out_channels", 1, 63, 48),
            ("out_rows", 2, 15, 0),
            ("pooled_rows", 2, 31, 16),
            ("out_columns", 2, 47, 32),
            ("stride", 2, 55, 48),
            ("padding", 2, 63, 56),
        ],
    ),
    "LoopConvPooling": (
        17,
        [
            ("pool_padding", 1, 7, 0),
            ("pool_stride", 1, 15, 8),
            ("pool_size", 1, 31, 16),
            ("pooled_columns", 1, 47, 32),
            ("kernel", 1, 63, 48),
            ("tile_out_channels", 2, 15, 0),
            ("tile_pooled_columns", 2, 31, 16),
            ("tile_pooled_rows", 2, 47, 32),
            ("tile_batches", 2, 63, 48),
        ],
    ),
    "LoopConvTile": (
        18,
        [
            ("left_pad", 1, 15, 0),
            ("tile_channels", 1, 31, 16),
            ("kernel_columns", 1, 47, 32),
            ("kernel_rows", 1, 63, 48),
            ("in_columns", 2, 15, 0),
            ("pool_left_pad", 2, 23, 16),
            ("down_pad", 2, 31, 24),
            ("up_pad", 2, 47, 32),
            ("right_pad", 2, 63, 48),
        ],
    ),
    "LoopConvStrides": (
        19,
        [
            ("dilation", 1, 7, 0),
            ("pool_down_pad", 1, 17, 10),
            ("pool_up_pad", 1, 28, 21),
            ("pool_right_pad", 1, 47, 32),
            ("tile_out_rows", 1, 63, 48),
            ("tile_out_columns", 2, 15, 0),
            ("out_stride", 2, 31, 16),
            ("weight_stride", 2, 47, 32),
            ("in_stride", 2, 63, 48),
        ],
    ),
    "LoopConvAddressesWO": (20, [("weights", 1, 63, 0), ("output", 2, 63, 0)]),
    "LoopConvAddressesBI": (21, [("bias", 1, 63, 0), ("input", 2, 63, 0)]),
    "LoopConv": (
        15,
        [
            ("no_bias", 1, 0, 0),
            ("rotated_180", 1, 1, 1),
            ("out_1203", 1, 2, 2),
            ("weight_1203", 1, 3, 3),
            ("weight_0132", 1, 4, 4),
            ("in_3120", 1, 5, 5),
            ("depthwise", 1, 6, 6),
            ("pixels_per_row", 1, 15, 8),
            ("b_half", 1, 17, 16),
            ("a_half", 1, 19, 18),
            ("no_pool", 2, 0, 0),
            ("downsampled", 2, 1, 1),
            ("input_dilated", 2, 2, 2),
            ("activation", 2, 4, 3),
        ],
    ),
}
KINDS = {"ConfigEx": 0, "ConfigLd": 1, "ConfigSt": 2}


def take(word: int, high: int, low: int) -> int:
    return (word >> low) % 2 ** (high - low + 1)


def decoded(funct: int, rs1: int, rs2: int) -> tuple[str, dict[str, int]]:
    """Return the name and the fields of an instruction."""
    named = [
        name
        for name, (number, _) in FIELDS.items()
        if number == funct and (funct or KINDS[name] == rs1 % 4)
    ]
    (name,) = named
    words = {1: rs1, 2: rs2}
    return name, {
        field: take(words[operand], high, low) for field, operand, high, low in FIELDS[name][1]
    }
