"""Whole programs: the published example, configurations, and random programs."""

import numpy as np
import pytest
from hypothesis import Phase, given, settings

from forebay.isa.faults import InstructionFault, WrongOperand
from forebay.isa.gemmini.codec import decode_gemmini, encode_gemmini
from forebay.isa.gemmini.faults import MissingConfiguration, MissingFence, PreloadDisturbed
from forebay.isa.gemmini.instructions import (
    ConfigEx,
    ConfigLd,
    Dataflow,
    Fence,
    Flush,
)
from forebay.isa.gemmini.interpreter import run_gemmini
from forebay.isa.gemmini.loops import LoopConv
from forebay.isa.main_memory import MainMemory

from .plain_gemmini import PlainGemmini
from .random_programs import PROGRAMS
from .small_programs import (
    BASE,
    C_FIRST_ROW,
    COMPUTE,
    CONFIG_EX,
    CONFIG_LD,
    CONFIG_ST,
    FENCE,
    PROGRAM,
    memory,
    replaced,
    result,
)

PUBLISHED = [
    (0, 0x3F80000000010004, 0x0001000000000000),
    (0, 0x3F80000000100101, 0x0000000000000010),
    (0, 0x3F80000000100111, 0x0000000000000000),
    (0, 0x0000000000000002, 0x3D80000000000010),
    (14, 0x0000000081000200, 0x0010001080000000),
    (2, 0x0000000081000000, 0x0010001000000000),
    (2, 0x0000000081000100, 0x0010001000000010),
    (6, 0x0010001000000010, 0x00100010C0000000),
    (4, 0x0010001000000000, 0x00100010FFFFFFFF),
    (3, 0x0000000081000300, 0x0010001080000000),
]


def test_the_published_example_is_this_program() -> None:
    assert tuple(decode_gemmini(*words) for words in PUBLISHED) == PROGRAM[:-1]


def test_the_published_example_has_its_published_result() -> None:
    assert result()[0] == C_FIRST_ROW


def test_every_element_of_the_example_is_that_of_plain_loops() -> None:
    ram = memory()
    expected = PlainGemmini(BASE, ram.data.tobytes()).run(PUBLISHED)
    run_gemmini(PROGRAM, ram)
    assert ram.data.tobytes() == expected


@given(PROGRAMS)
@settings(max_examples=8, deadline=None, phases=[Phase.generate], derandomize=True)
def test_random_programs_have_the_bytes_of_plain_loops(program) -> None:
    data = np.random.default_rng(1).integers(0, 256, 0x1800, np.uint8)
    expected = PlainGemmini(BASE, data.tobytes()).run(
        encode_gemmini(one) for one in program if not isinstance(one, Fence)
    )
    ram = MainMemory(BASE, data)
    run_gemmini((*program, Fence()), ram)
    assert ram.data.tobytes() == expected


def test_a_flush_changes_nothing() -> None:
    assert result((Flush(), *PROGRAM, Flush())) == result()


@pytest.mark.parametrize(
    ("removed", "field"),
    [(CONFIG_EX, "config_ex"), (CONFIG_LD, "config_ld"), (CONFIG_ST, "config_st")],
)
def test_a_missing_configuration_is_a_fault(removed, field) -> None:
    with pytest.raises(MissingConfiguration) as caught:
        result(replaced(removed))
    assert caught.value.field == field


def test_strides_need_a_configuration_before_them() -> None:
    strides = ConfigEx(Dataflow.WEIGHT_STATIONARY, strides_only=True)
    with pytest.raises(MissingConfiguration, match="instruction 0, ConfigEx: strides_only"):
        result(replaced(CONFIG_EX, strides))


def test_strides_only_keeps_the_rest() -> None:
    strides = ConfigEx(Dataflow.OUTPUT_STATIONARY, strides_only=True, shift=3)
    assert result(replaced(CONFIG_EX, CONFIG_EX, strides)) == result()


@pytest.mark.parametrize(
    "wrong",
    [
        ConfigEx(Dataflow.WEIGHT_STATIONARY, a_transposed=True, b_transposed=True),
        ConfigEx(Dataflow.OUTPUT_STATIONARY, b_transposed=True),
        ConfigEx(Dataflow.OUTPUT_STATIONARY, shift=32),
        ConfigLd(3, 16),
        LoopConv(),
    ],
)
def test_modes_that_do_not_exist_are_refused(wrong) -> None:
    with pytest.raises(WrongOperand) as caught:
        result((wrong, *PROGRAM))
    assert caught.value.index == 0


def test_a_configuration_between_preload_and_compute_is_a_fault() -> None:
    with pytest.raises(PreloadDisturbed, match="instruction 8, ConfigEx"):
        result(replaced(COMPUTE, CONFIG_EX, COMPUTE))


def test_results_without_a_last_fence_are_a_fault() -> None:
    with pytest.raises(MissingFence, match="instruction 9, Mvout: end of the program"):
        result(replaced(FENCE))
    assert result(replaced(FENCE), ignoring=[MissingFence]) == result()


def test_a_fault_is_an_error_of_the_project() -> None:
    with pytest.raises(InstructionFault):
        result(PROGRAM[4:])
