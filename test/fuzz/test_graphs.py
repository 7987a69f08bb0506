"""Networks with fixed numbers beside TFLite Micro."""

import pytest
from common.sweep import sweep

pytest.importorskip("tflite_micro", reason="tflite-micro is not installed")

from fuzz.cases import run
from fuzz.graphs import SECONDS, check
from fuzz.graphs.check import names_of
from fuzz.graphs.draw import FIRST_WITH_ALL, draw_network


@pytest.mark.parametrize("count", sweep([8, 40]))
def test_random_networks_have_tflite_micros_bits(count: int) -> None:
    result = run(check, count, seed=1, jobs=2, seconds=SECONDS)
    assert result.failures == {}
    assert result.counts["networks"] > count * 3 // 4
    assert result.counts["runs by llvm"] > 0 and result.counts["runs by emulator"] > 0


@pytest.mark.parametrize("count", sweep([4, 40]))
def test_networks_of_every_kind_have_tflite_micros_bits(count: int) -> None:
    result = run(check, count, seed=FIRST_WITH_ALL, jobs=2, seconds=SECONDS)
    assert result.failures == {}
    assert result.counts["networks"] > count // 2


@pytest.mark.slow  # TFLite Micro runs many of the drawn operators
def test_every_kind_is_drawn() -> None:
    drawn = {name for i in range(120) for name in names_of(draw_network(FIRST_WITH_ALL + i))}
    signal = {"Window", "FftAutoScale", "Rfft", "Irfft", "Energy", "Delay", "Framer", "Stacker"}
    signal |= {"OverlapAdd", "PCAN", *(f"FilterBank{end}" for end in ("", "SquareRoot", "Log"))}
    assert drawn >= {f"Signal{name}" for name in signal}
    assert drawn >= {"DENSIFY", "DIV", "EXP", "GELU", "IF", "SELECT_V2", "WHILE"}


def test_a_kernel_whose_call_gcc_12_removed() -> None:
    """With `noinline` alone, -O2 of GCC 12.2 missed the stores of this network's convolution."""
    result = run(check, 1, seed=701092, jobs=1, seconds=SECONDS)
    assert result.failures == {}
    assert result.counts["runs by c"] > 0


@pytest.mark.parametrize("seed", [275, 499, 1173, 2093, 3345, 500853, 501971])
def test_an_operator_with_axes_takes_no_scalar(seed: int) -> None:
    """Networks in which the value to split, slice, join or reduce was a scalar."""
    assert b"TFL3" in draw_network(seed)[:8]


def test_a_network_that_ends_the_reference_is_counted() -> None:
    result = run(check, 1, seed=500626, jobs=1, seconds=SECONDS)
    assert result.failures == {}
    assert result.counts == {"networks that end TFLite Micro's process": 1}
