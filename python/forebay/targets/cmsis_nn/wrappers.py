"""The C functions of the intrinsics: the library's structures, and one call of the library.

Sizes of pairs are in the library's order: width before height.
"""

from __future__ import annotations

from forebay.api.target import Wrapper

_WINDOW = """\
        .stride = {{.w = stride_x, .h = stride_y}},
        .padding = {{.w = left, .h = top}},
"""
_DILATION = """\
        .dilation = {{.w = {x}, .h = {y}}},
"""
_ACTIVATION = """\
        .activation = {.min = low, .max = high},
    };
"""
_OFFSETS = """\
        .input_offset = input_offset,
        .output_offset = output_offset,
"""
_CHANNEL_FACTORS = """\
    /* The library reads both arrays and does not write them. */
    const cmsis_nn_per_channel_quant_params factors = {
        .multiplier = (int32_t *)(uintptr_t)multipliers,
        .shift = (int32_t *)(uintptr_t)shifts,
    };
"""
_IMAGE = """\
    const cmsis_nn_dims input = {.n = 1, .h = height, .w = width, .c = depth};
"""
_WEIGHTED_CALL = """\
    const cmsis_nn_dims channels = {{.n = 1, .h = 1, .w = 1, .c = {channels}}};
    return (int32_t){function}(
        &ctx, &params, &factors, &input, x, &filter, weights, &channels, bias, &output, y);
"""


def convolve(*, has_context: bool) -> Wrapper:
    """Return the call of `arm_convolve_wrapper_s8`."""
    return _wrapper(
        _context(has_context),
        "    const cmsis_nn_conv_params params = {\n",
        _OFFSETS,
        _WINDOW.format(),
        _DILATION.format(x="dilation_x", y="dilation_y"),
        _ACTIVATION,
        _CHANNEL_FACTORS,
        _IMAGE,
        "    const cmsis_nn_dims filter = {\n"
        "        .n = y_depth, .h = kernel_height, .w = kernel_width, .c = depth};\n",
        "    const cmsis_nn_dims output = {.n = 1, .h = y_height, .w = y_width, .c = y_depth};\n",
        _WEIGHTED_CALL.format(function="arm_convolve_wrapper_s8", channels="y_depth"),
    )


def depthwise(*, has_context: bool) -> Wrapper:
    """Return the call of `arm_depthwise_conv_wrapper_s8`."""
    return _wrapper(
        _context(has_context),
        "    const cmsis_nn_dw_conv_params params = {\n",
        _OFFSETS,
        "        .ch_mult = channel_multiplier,\n",
        _WINDOW.format(),
        _DILATION.format(x="1", y="1"),
        _ACTIVATION,
        _CHANNEL_FACTORS,
        _IMAGE,
        "    const cmsis_nn_dims filter = {\n"
        "        .n = 1, .h = kernel_height, .w = kernel_width, .c = y_depth};\n",
        "    const cmsis_nn_dims output = {.n = 1, .h = y_height, .w = y_width, .c = y_depth};\n",
        _WEIGHTED_CALL.format(function="arm_depthwise_conv_wrapper_s8", channels="y_depth"),
    )


def fully_connected(*, has_tables: bool, has_sums: bool) -> Wrapper:
    """Return the call for one factor, or for a factor per output; with kernel sums on MVE."""
    if has_tables:
        function = "arm_fully_connected_wrapper_s8"
        factors = _CHANNEL_FACTORS.replace("per_channel_quant_params", "quant_params").replace(
            "    };\n", "        .is_per_channel = 1,\n    };\n"
        )
    else:
        function = "arm_fully_connected_s8"
        factors = (
            "    const cmsis_nn_per_tensor_quant_params factors = {\n"
            "        .multiplier = multiplier, .shift = shift};\n"
        )
    return _wrapper(
        "    /* The library reads the kernel sums and does not write them. */\n"
        "    const cmsis_nn_context ctx = {\n"
        "        .buf = (void *)(uintptr_t)sums, .size = columns * (int32_t)sizeof(int32_t)};\n"
        if has_sums
        else _context(False),
        "    const cmsis_nn_fc_params params = {\n"
        "        .input_offset = input_offset,\n"
        "        .filter_offset = 0,\n"
        "        .output_offset = output_offset,\n",
        _ACTIVATION,
        factors,
        "    const cmsis_nn_dims input = {.n = rows, .h = 1, .w = 1, .c = depth};\n"
        "    const cmsis_nn_dims filter = {.n = depth, .h = 1, .w = 1, .c = columns};\n"
        "    const cmsis_nn_dims output = {.n = rows, .h = 1, .w = 1, .c = columns};\n",
        _WEIGHTED_CALL.format(function=function, channels="columns"),
    )


KERNEL_SUMS = Wrapper(
    "    return (int32_t)arm_vector_sum_s8(sums, depth, columns, weights, input_offset, 0, bias);",
    ("arm_nnfunctions.h",),
)


def pool(function: str, *, has_context: bool) -> Wrapper:
    """Return the call of a pooling function."""
    return _wrapper(
        _context(has_context),
        "    const cmsis_nn_pool_params params = {\n",
        _WINDOW.format(),
        _ACTIVATION,
        _IMAGE,
        "    const cmsis_nn_dims filter = {\n"
        "        .n = 1, .h = kernel_height, .w = kernel_width, .c = 1};\n"
        "    const cmsis_nn_dims output = {.n = 1, .h = y_height, .w = y_width, .c = depth};\n"
        f"    return (int32_t){function}(&ctx, &params, &input, x, &filter, &output, y);\n",
    )


ADD = Wrapper(
    """\
    return (int32_t)arm_elementwise_add_s8(
        x, other, x_offset, x_multiplier, x_shift, other_offset, other_multiplier, other_shift,
        left_shift, y, output_offset, multiplier, shift, low, high, count);
""",
    ("arm_nnfunctions.h",),
)

SOFTMAX = Wrapper(
    """\
    arm_softmax_s8(x, rows, columns, multiplier, shift, least_difference, y);
    return 0;
""",
    ("arm_nnfunctions.h",),
)


def _context(has_context: bool) -> str:
    given = "context, .size = context_bytes" if has_context else "0, .size = 0"
    return f"    const cmsis_nn_context ctx = {{.buf = {given}}};\n"


def _wrapper(*parts: str) -> Wrapper:
    return Wrapper("".join(parts), ("arm_nnfunctions.h",))
