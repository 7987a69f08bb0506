"""SignalFilterBank and what follows it: square root, spectral subtraction, gain, logarithm.

Energies and channels are unsigned numbers of 32 bits, the sums of the bank of 64.
Sources: TFLite Micro `signal/src/filter_bank.cc`, `square_root_32.cc`, `square_root_64.cc`,
`filter_bank_spectral_subtraction.cc`, `pcan_argc_fixed.cc`, `filter_bank_log.cc`, `log.cc`.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from mlir import ir
from mlir.dialects import arith, tensor, tosa

from forebay.frontends.elementwise import map_elements
from forebay.frontends.tflite.file.schema import ElementType
from forebay.frontends.tflite.lowering import emit
from forebay.frontends.tflite.lowering.node import Node
from forebay.frontends.tflite.lowering.registry import document, operator
from forebay.frontends.tflite.operators.signal.arithmetic import (
    chosen,
    extended_word,
    i32_constant,
    i64,
    is_above,
    most_significant_bit,
    shifted_right,
    stored,
    times_power_of_two,
    word,
)
from forebay.frontends.tflite.operators.signal.options import integer_option
from forebay.lowering.kernels import scalar
from forebay.lowering.kernels.reduce import (
    KernelDomain,
    ReduceKernel,
    ReduceOperand,
    affine_dimensions,
    build_reduce,
)

_I16, _I32 = ElementType.INT16, ElementType.INT32
_U32, _U64 = ElementType.UINT32, ElementType.UINT64
_MOST = (1 << 31) - 1
_SNR_BITS, _OUTPUT_BITS = 12, 6
_LOG_BITS, _SEGMENT_BITS = 16, 7
_LN_2 = 45426
_ROOT_STEPS = 32

document(
    "SignalFilterBank",
    "SignalFilterBankSquareRoot",
    "SignalFilterBankSpectralSubtraction",
    "SignalPCAN",
    "SignalFilterBankLog",
    types="uint32; the bank to uint64, the logarithm to int16",
    limits="constant tables",
    becomes="`accel.reduce`, `linalg.generic`, `variable`",
    exact="yes",
)


@operator("SignalFilterBank", newest_version=1)
def filter_bank(node: Node) -> Sequence[ir.Value]:
    """Lower the weighted sums of the energies, as one product with a matrix."""
    node.expect_operands(6)
    node.expect_types((_U32, *(_I16,) * 5, _U64))
    node.expect_rank(0, 1)
    (frequencies,) = node.shape(0)
    matrix = emit.tosa_constant(_matrix(node, frequencies))
    channels = emit.static_shape_of(matrix)[0]
    c, f = affine_dimensions(2)

    def add(sums: Sequence[ir.Value], ins: Sequence[ir.Value]) -> Sequence[ir.Value]:
        weight = arith.ExtSIOp(emit.signless(64), ins[0]).result
        return [scalar.add(sums[0], scalar.multiply(weight, extended_word(ins[1])))]

    bank = build_reduce(
        KernelDomain((channels,), (frequencies,)),
        ReduceKernel(lambda _: [i64(0)], add, lambda sums, _count, _params: sums[0]),
        ins=[ReduceOperand(matrix, (c, f)), ReduceOperand(node.value(0), (f,))],
        params=[],
        out=(c,),
        result=emit.tensor_type((channels,), emit.signless(64)),
    )
    return [bank]


def _matrix(node: Node, frequencies: int) -> np.ndarray:
    """Return `[channels, frequencies]`: a channel's weights, and the previous one's unweights."""
    channels = integer_option(node, "num_channels", 1, 1 << 15)
    weights, unweights, starts, firsts, widths = (
        node.constant(i).astype(np.int64) for i in range(1, 6)
    )
    if min(len(starts), len(firsts), len(widths)) < channels + 1:
        node.malformed(f"its tables are too short for {channels} channels")
    matrix = np.zeros((channels + 2, frequencies), np.int64)
    for channel in range(channels + 1):
        at, first, width = (int(t[channel]) for t in (starts, firsts, widths))
        if at < 0 or first < 0 or at + width > frequencies or first + width > len(weights):
            node.malformed(f"channel {channel} is outside of its tables")
        matrix[channel, at : at + width] += weights[first : first + width]
        matrix[channel + 1, at : at + width] += unweights[first : first + width]
    if (matrix < 0).any() or matrix.max() > _MOST:
        node.refuse("weights below 0", "use weights of 0 and more")
    kind = np.int16 if matrix.max() < 1 << 15 else np.int32
    return matrix[1 : channels + 1].astype(kind)


@operator("SignalFilterBankSquareRoot", newest_version=1)
def square_root(node: Node) -> Sequence[ir.Value]:
    """Lower the rounded root, shifted right by the scalar operand."""
    node.expect_operands(2)
    node.expect_types((_U64, _I32, _U32))
    shape = node.shape(0)

    def compute(ins: Sequence[ir.Value]) -> ir.Value:
        root = _root(ins[0])
        return stored(arith.ShRSIOp(root, arith.ExtSIOp(emit.signless(64), ins[1]).result).result)

    bits = emit.tosa_reshape(node.value(1), (1,) * len(shape))
    return [map_elements([node.value(0), bits], shape, scalar.i32(), compute)]


def _root(number: ir.Value) -> ir.Value:
    """Return the square root, digit by digit, rounded where its 16 or 32 bits allow it."""
    rest, root = number, i64(0)
    for step in reversed(range(_ROOT_STEPS - 1)):
        digit = i64(1 << (2 * step))
        tried = scalar.add(root, digit)
        is_smaller = is_above(tried, rest)
        half = shifted_right(root, 1)
        rest = chosen(is_smaller, rest, scalar.subtract(rest, tried))
        root = chosen(is_smaller, half, scalar.add(half, digit))
    is_short = arith.CmpIOp(arith.CmpIPredicate.ult, number, i64(1 << 32)).result
    most = chosen(is_short, i64(0xFFFF), i64(0xFFFFFFFF))
    is_below = arith.CmpIOp(arith.CmpIPredicate.ne, root, most).result
    rounds = arith.AndIOp(is_above(rest, root), is_below).result
    return chosen(rounds, scalar.add(root, i64(1)), root)


@operator("SignalFilterBankSpectralSubtraction", newest_version=1)
def spectral_subtraction(node: Node) -> Sequence[ir.Value]:
    """Lower the channels less their noise, and the noise, which is a state."""
    node.expect_operands(1, results=2)
    node.expect_types((_U32,) * 3)
    node.expect_rank(0, 1)
    (channels,) = node.shape(0)
    options = {
        name: integer_option(node, name, 0, _MOST)
        for name in (
            *("smoothing", "one_minus_smoothing", "alternate_smoothing"),
            *("alternate_one_minus_smoothing", "min_signal_remaining"),
        )
    }
    shift = integer_option(node, "smoothing_bits", 0, 31)
    bits = integer_option(node, "spectral_subtraction_bits", 0, 63)
    if integer_option(node, "num_channels", 1, 1 << 15) != channels:
        node.malformed(f"its input has {channels} channels")
    pairs = (
        ("smoothing", "alternate_smoothing"),
        ("one_minus_smoothing", "alternate_one_minus_smoothing"),
    )
    tables = [
        emit.tosa_constant(np.resize([options[a], options[b]], channels).astype(np.int32))
        for a, b in pairs
    ]
    name = node.new_state("noise", np.zeros(channels, np.int32))
    kind = emit.tensor_type((channels,), scalar.i32())
    before = tosa.VariableReadOp(kind, name).results[0]

    def estimate(ins: Sequence[ir.Value]) -> ir.Value:
        signal = word(times_power_of_two(extended_word(ins[0]), shift))
        kept = scalar.multiply(extended_word(ins[1]), extended_word(ins[3]))
        return stored(
            shifted_right(scalar.add(scalar.multiply(signal, extended_word(ins[2])), kept), bits)
        )

    def limited(ins: Sequence[ir.Value]) -> ir.Value:
        signal, noise = (
            word(times_power_of_two(extended_word(ins[0]), shift)),
            extended_word(ins[1]),
        )
        return stored(scalar.at_most(noise, signal))

    def subtracted(ins: Sequence[ir.Value]) -> ir.Value:
        value = extended_word(ins[0])
        signal = word(times_power_of_two(value, shift))
        noise = scalar.at_most(extended_word(ins[1]), signal)
        floor = word(
            shifted_right(scalar.multiply(value, i64(options["min_signal_remaining"])), bits)
        )
        return stored(scalar.at_least(shifted_right(scalar.subtract(signal, noise), shift), floor))

    source, shape = node.value(0), (channels,)
    noise = map_elements([source, before, *tables], shape, scalar.i32(), estimate)
    result = map_elements([source, noise], shape, scalar.i32(), subtracted)
    if node.custom_options().get("clamping"):
        noise = map_elements([source, noise], shape, scalar.i32(), limited)
    tosa.VariableWriteOp(name, noise)
    return [result, noise]


@operator("SignalPCAN", newest_version=1)
def pcan(node: Node) -> Sequence[ir.Value]:
    """Lower the gain control of each channel by its noise."""
    node.expect_operands(3)
    node.expect_types((_U32, _U32, _I16, _U32))
    shift = integer_option(node, "snr_shift", 0, 63)
    gains = node.constant(2)
    if gains.ndim != 1 or len(gains) < 4 * 32 - 3:
        node.malformed(f"a table of gains of shape {list(gains.shape)}")
    table = node.value(2)

    def compute(ins: Sequence[ir.Value]) -> ir.Value:
        gain = _gain(table, ins[1])
        ratio = word(arith.ShRUIOp(scalar.multiply(extended_word(ins[0]), gain), i64(shift)).result)
        square = shifted_right(
            word(scalar.multiply(ratio, ratio)), 2 + 2 * _SNR_BITS - _OUTPUT_BITS
        )
        linear = scalar.subtract(
            shifted_right(ratio, _SNR_BITS - _OUTPUT_BITS), i64(1 << _OUTPUT_BITS)
        )
        return stored(chosen(is_above(i64(2 << _SNR_BITS), ratio), square, linear))

    return [map_elements([node.value(0), node.value(1)], node.shape(0), scalar.i32(), compute)]


def _gain(table: ir.Value, noise: ir.Value) -> ir.Value:
    """Return the gain at a level of noise: a polynomial for each power of two, as 32 bits in 64."""
    interval = scalar.at_least(most_significant_bit(noise), i32_constant(2))
    wide = extended_word(noise)
    is_large = is_above(interval, i32_constant(10))
    left = scalar.at_least(scalar.subtract(i32_constant(11), interval), i32_constant(0))
    right = scalar.at_least(scalar.add_constant(interval, -11), i32_constant(0))
    up, down = (arith.ExtSIOp(emit.signless(64), x).result for x in (left, right))
    shifted = chosen(is_large, arith.ShRSIOp(wide, down).result, arith.ShLIOp(wide, up).result)
    fraction = stored(arith.AndIOp(shifted, i64(0x3FF)).result)
    first = scalar.add_constant(scalar.scaled(interval, 4), -6)
    base, slope, curve = (_entry(table, scalar.add_constant(first, i)) for i in range(3))
    result = shifted_right(scalar.multiply(curve, fraction), 5)
    result = scalar.add(result, times_power_of_two(slope, 5))
    result = shifted_right(scalar.add_constant(scalar.multiply(result, fraction), 1 << 14), 15)
    polynomial = scalar.add(result, base)
    is_small = arith.CmpIOp(arith.CmpIPredicate.ule, noise, i32_constant(2)).result
    listed = _entry(table, scalar.clamp(noise, 0, 2))
    value = scalar.narrow(chosen(is_small, listed, polynomial), emit.signless(16))
    return extended_word(scalar.widen(value))


def _entry(table: ir.Value, index: ir.Value) -> ir.Value:
    place = arith.IndexCastOp(ir.IndexType.get(), index).result
    return scalar.widen(tensor.ExtractOp(table, [place]).result)


@operator("SignalFilterBankLog", newest_version=1)
def logarithm(node: Node) -> Sequence[ir.Value]:
    """Lower the natural logarithm, scaled and saturated."""
    node.expect_operands(1)
    node.expect_types((_U32, _I16))
    scale = integer_option(node, "output_scale", 0, _MOST)
    shift = integer_option(node, "input_correction_bits", 0, 31)
    segments = np.arange((1 << _SEGMENT_BITS) + 1) / (1 << _SEGMENT_BITS)
    curve = np.rint((np.log2(1 + segments) - segments) * (1 << _LOG_BITS))
    table = emit.tosa_constant(curve.astype(np.int16))

    def compute(ins: Sequence[ir.Value]) -> ir.Value:
        scaled = word(times_power_of_two(extended_word(ins[0]), shift))
        value = _log(table, scalar.at_least(scaled, i64(2)))
        product = word(scalar.add_constant(word(scalar.multiply(value, i64(scale))), 1 << 15))
        limited = scalar.at_most(shifted_right(product, _LOG_BITS), i64(_I16.range[1]))
        result = chosen(is_above(scaled, i64(1)), limited, i64(0))
        return scalar.narrow(result, emit.signless(16))

    return [map_elements([node.value(0)], node.shape(0), emit.signless(16), compute)]


def _log(table: ir.Value, number: ir.Value) -> ir.Value:
    """Return the natural logarithm in 16 fraction bits, by a table of 128 segments."""
    wide = emit.signless(64)
    integer = scalar.add_constant(most_significant_bit(stored(number)), -1)
    power = arith.ExtSIOp(wide, integer).result
    rest = scalar.subtract(number, arith.ShLIOp(i64(1), power).result)
    up = scalar.at_least(scalar.subtract(i64(_LOG_BITS), power), i64(0))
    down = scalar.at_least(scalar.add_constant(power, -_LOG_BITS), i64(0))
    fraction = stored(arith.ShRSIOp(arith.ShLIOp(rest, up).result, down).result)
    segment = shifted_right(fraction, _LOG_BITS - _SEGMENT_BITS)
    low = _entry(table, segment)
    high = _entry(table, scalar.add_constant(segment, 1))
    inside = scalar.subtract(fraction, times_power_of_two(segment, _LOG_BITS - _SEGMENT_BITS))
    between = shifted_right(scalar.multiply(scalar.subtract(high, low), inside), _LOG_BITS)
    log2 = scalar.add(
        times_power_of_two(power, _LOG_BITS),
        extended_word(scalar.add(scalar.add(fraction, low), between)),
    )
    rounded = scalar.add_constant(scalar.multiply(log2, i64(_LN_2)), 1 << (_LOG_BITS - 1))
    return word(shifted_right(rounded, _LOG_BITS))
