"""The host's requantisation of sums: TFLite's bits, for any layout of the channels."""

import numpy as np
import pytest
from common.host_jit import run_host
from mlir import ir
from mlir.dialects import func, tensor

from forebay.targets.int32_convolution.host import Factors, OutputRange, requantised

I8, I32 = np.int8, np.int32


def tflite(total: int, multiplier: int, shift: int, output: OutputRange) -> int:
    """gemmlowp's two steps in Python integers; `shift` is 31 minus TFLite's exponent."""
    if shift <= 31 or not output.double_round:
        value = (total * multiplier + (1 << (shift - 1))) >> shift
    else:
        nudge = (1 << 30) if total * multiplier >= 0 else 1 - (1 << 30)
        product = total * multiplier + nudge
        high = abs(product) >> 31  # C's division truncates
        high = high if product >= 0 else -high
        right = shift - 31
        mask, remainder = (1 << right) - 1, high & ((1 << right) - 1)
        threshold = (mask >> 1) + (high < 0)
        value = (high >> right) + (remainder > threshold)
    return min(max(value + output.zero_point, output.low), output.high)


def run(sums, multipliers, shifts, output: OutputRange, channel=(-1,)) -> np.ndarray:
    with ir.Context(), ir.Location.unknown():
        module = ir.Module.create()
        widths = {I32: ir.IntegerType.get_signless(32), I8: ir.IntegerType.get_signless(8)}
        types = [
            ir.RankedTensorType.get(a.shape, widths[a.dtype.type])
            for a in (sums, multipliers, shifts)
        ]
        with ir.InsertionPoint(module.body):

            @func.FuncOp.from_py_func(*types, name="main")
            def main(total, multiplier, shift):
                into = tensor.EmptyOp(list(sums.shape), widths[I8]).result
                return requantised(total, Factors(multiplier, shift), into, output, channel)

        return run_host(module, sums, multipliers, shifts)[0]


@pytest.mark.parametrize(
    "output",
    [OutputRange(3), OutputRange(-128, -128, 40), OutputRange(0, double_round=False)],
    ids=str,
)
def test_sums_are_rounded_as_tflite_rounds(output: OutputRange) -> None:
    rng = np.random.default_rng(1)
    multipliers = rng.integers(1 << 30, 1 << 31, 6).astype(I32)
    shifts = np.array([30, 31, 32, 38, 41, 45], I8)
    # Sums whose results are around halves, and large ones.
    sums = rng.integers(-(1 << 20), 1 << 20, (40, 9, 6)).astype(I32)
    sums[:, 0] = np.arange(-20, 20)[:, None]
    found = run(sums, multipliers, shifts, output)
    for at in np.ndindex(sums.shape):
        expected = tflite(int(sums[at]), int(multipliers[at[2]]), int(shifts[at[2]]), output)
        assert found[at] == expected, at


def test_channels_may_be_in_blocks() -> None:
    rng = np.random.default_rng(2)
    sums = rng.integers(-9000, 9000, (2, 3, 16)).astype(I32)
    multipliers = rng.integers(1 << 30, 1 << 31, (2, 16)).astype(I32)
    shifts = rng.integers(36, 40, (2, 16)).astype(I8)
    found = run(sums, multipliers, shifts, OutputRange(1), channel=(0, 2))
    for block, point, lane in np.ndindex(sums.shape):
        expected = tflite(
            int(sums[block, point, lane]),
            int(multipliers[block, lane]),
            int(shifts[block, lane]),
            OutputRange(1),
        )
        assert found[block, point, lane] == expected
