"""One convolution on an accelerator whose operands must each be in a pool of their own."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Literal

import numpy as np
import pytest

import forebay
from forebay import Compiled

from . import programs
from .machine import Machine

Engine = Literal["c", "llvm", "emulator"]
ENGINES: tuple[Engine, ...] = ("c", "llvm", "emulator")

Compile = Callable[[str], Compiled]


@pytest.fixture
def compile_(tmp_path: Path) -> Compile:
    """Compile the text of a module."""

    def run(text: str, **options: bool) -> Compiled:
        path = tmp_path / "layer.mlir"
        path.write_text(text)
        return forebay.compile(path, **options)

    return run


def placed(compiled: Compiled, pool: str) -> list[tuple[int, int]]:
    """Offset and size of each buffer in a pool, in order of execution."""
    problem, placements = compiled.plan.plan.problem, compiled.plan.plan.placements
    buffers = [b for b in problem.buffers if placements[b.name].pool == pool]
    ordered = sorted(buffers, key=lambda buffer: buffer.lifetime[0].start)
    return [(placements[buffer.name].offset, buffer.size) for buffer in ordered]


def peaks(compiled: Compiled) -> dict[str, int]:
    """Bytes that each pool needs."""
    return {certificate.pool: certificate.peak for certificate in compiled.plan.certificates}


def moved(compiled: Compiled) -> list[tuple[str, str, int]]:
    """Where each copy goes from and to, and its bytes; the caller's memory has no name."""
    return [(copy.source, copy.target, copy.bytes) for copy in compiled.plan.copies]


def test_each_buffer_is_where_the_operand_must_be(compile_: Compile):
    compiled = compile_(programs.layer(Machine()))
    assert peaks(compiled) == {"l2_mem": 4096, "act_mem": 12816, "wei_mem": 288}
    assert placed(compiled, "l2_mem") == [(0, 4096)]
    assert placed(compiled, "act_mem") == [(8192, 4624), (0, 8192)]
    assert placed(compiled, "wei_mem") == [(0, 288)]


@pytest.mark.parametrize("engine", ENGINES)
def test_it_computes_what_numpy_computes(compile_: Compile, engine: Engine):
    compiled = compile_(programs.layer(Machine()))
    data = programs.image()
    assert np.array_equal(compiled.run(data, engine=engine), programs.expected_layer(data))


def test_the_main_function_hands_the_accelerators_function_the_pools(
    compile_: Compile, tmp_path: Path
):
    directory = compile_(programs.layer(Machine())).write(tmp_path / "out")
    main, unit = (directory / name for name in ("layer.c", "layer_accel.c"))
    assert "accel_conv2d(" not in main.read_text()
    calls = re.findall(r"accel_(?:input_fetcher|conv2d)\(.*?\);", unit.read_text(), re.DOTALL)
    assert len(calls) == 2
    assert "act_mem" in main.read_text()


def test_a_capacity_of_what_is_needed_changes_nothing(compile_: Compile):
    compiled = compile_(programs.layer(Machine(act_capacity=12816)))
    assert placed(compiled, "act_mem") == [(8192, 4624), (0, 8192)]
    assert placed(compiled, "l2_mem") == [(0, 4096)]


def test_a_byte_less_is_refused_with_what_is_needed_and_who_needs_it(compile_: Compile):
    with pytest.raises(forebay.Error) as caught:
        compile_(programs.layer(Machine(act_capacity=12815)))
    message = str(caught.value)
    assert "pool 'act_mem' needs 12,816 bytes but has 12,815" in message
    assert "(8,192, pinned by 'accel_conv2d')" in message
    assert "(4,624, pinned by 'accel_input_fetcher', 'accel_conv2d')" in message
    assert "Give the pool 1 byte more" in message


def test_a_free_result_goes_where_the_device_may_write_first(compile_: Compile):
    machine = Machine(conv_target=None, device_reaches_l2=True)
    compiled = compile_(programs.layer(machine))
    assert peaks(compiled) == {"l2_mem": 8192, "act_mem": 4624, "wei_mem": 288}
    assert placed(compiled, "l2_mem") == [(0, 4096), (0, 8192)]


def test_a_free_result_stays_where_the_device_may_write_at_all(compile_: Compile):
    compiled = compile_(programs.layer(Machine(conv_target=None)))
    assert peaks(compiled) == {"l2_mem": 4096, "act_mem": 12816, "wei_mem": 288}


def test_a_function_of_the_accelerators_own_makes_no_difference(compile_: Compile):
    outlined = compile_(programs.layer(Machine()))
    inlined = compile_(programs.layer(Machine(), inlined=True))
    for pool in ("l2_mem", "act_mem", "wei_mem"):
        assert placed(inlined, pool) == placed(outlined, pool)
    data = programs.image()
    assert np.array_equal(inlined.run(data), outlined.run(data))


def test_what_is_between_two_convolutions_stays_with_the_accelerator(compile_: Compile):
    compiled = compile_(programs.two_layers(Machine()))
    assert placed(compiled, "l2_mem") == [(0, 4096)]
    assert sorted(size for _, size in placed(compiled, "act_mem")) == [4624, 7200, 8192]
    # The result alone is copied: out to the caller.
    assert moved(compiled) == [("act_mem", "", 7200)]
    data = programs.image()
    assert np.array_equal(compiled.run(data), programs.expected_two_layers(data))


@pytest.mark.parametrize("engine", ENGINES)
def test_what_the_fetcher_wants_elsewhere_is_copied_once(compile_: Compile, engine: Engine):
    compiled = compile_(programs.round_trip(Machine()))
    assert moved(compiled) == [("act_mem", "l2_mem", 8192), ("act_mem", "", 8192)]
    assert compiled.plan.copies[0].why == 'copy for operand "source" of @accel.input_fetcher'
    # The image is dead when the copy is made.
    assert placed(compiled, "l2_mem") == [(0, 4096), (0, 8192)]
    data = programs.image()
    assert np.array_equal(compiled.run(data, engine=engine), programs.expected_round_trip(data))


def test_strict_refuses_that_copy_and_says_who_wants_what(compile_: Compile):
    with pytest.raises(forebay.Error) as caught:
        compile_(programs.round_trip(Machine()), strict=True)
    message = str(caught.value)
    assert "conv2d" in message
    assert "input_fetcher" in message
    assert "l2_mem" in message
    assert "act_mem" in message


def test_a_value_that_two_users_want_in_two_pools_is_two_buffers(compile_: Compile):
    compiled = compile_(programs.two_users(Machine()))
    assert moved(compiled) == [("l2_mem", "act_mem", 4096)]
    problem, placements = compiled.plan.plan.problem, compiled.plan.plan.placements
    image = [b for b in problem.buffers if b.size == 4096]
    assert sorted(placements[b.name].pool for b in image) == ["act_mem", "l2_mem"]
    first, second = sorted(image, key=lambda buffer: buffer.lifetime[0].start)
    # The copy begins when the fetcher, the last user of the original, is done with it or later.
    assert first.lifetime[-1].end <= second.lifetime[0].start + 1
    data = programs.image()
    assert np.array_equal(compiled.run(data), programs.expected_two_users(data))


def test_names_are_only_names(compile_: Compile):
    usual = compile_(programs.layer(Machine()))
    renamed = compile_(
        programs.layer(
            Machine(host="c", device="accel_c", l2_mem="accel_", act_mem="c_mem", wei_mem="mem")
        )
    )
    for before, after in (("l2_mem", "accel_"), ("act_mem", "c_mem"), ("wei_mem", "mem")):
        assert placed(renamed, after) == placed(usual, before)
    data = programs.image()
    assert np.array_equal(renamed.run(data), usual.run(data))


def test_rights_go_by_whole_names(compile_: Compile):
    # @accel has no right that @acc has.
    text = programs.layer(Machine(conv_target=None)).replace(
        "accel.device @accel", 'accel.device @acc kind "conv"\naccel.device @accel'
    )
    denied = text.replace(
        "@act_mem workspace read [@cpu, @accel] write [@cpu, @accel]",
        "@act_mem workspace read [@cpu, @acc] write [@cpu, @acc]",
    )
    with pytest.raises(forebay.Error, match="accel"):
        compile_(denied)
