"""Scaling with TOSA's rounding."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest
from common.arith_kernels import SANITIZE, assert_all_agree, edges
from mlir import ir

from forebay.codegen.project.project import project_files
from forebay.engines.c import CEngine


@pytest.mark.parametrize("mode", ["SINGLE_ROUND", "DOUBLE_ROUND"])
def test_apply_scale(kernel: Any, mode: str) -> None:
    rng = np.random.default_rng(1)
    values = np.concatenate([edges(32), rng.integers(-(2**31), 2**31, 2000)]).astype("int32")
    multiplier = rng.integers(2**30, 2**31, len(values)).astype("int32")
    shift = rng.integers(2, 63, len(values)).astype("int8")
    v, m, s = (x.astype(object) for x in (values, multiplier, shift))
    round_ = 2 ** (s - 1)
    if mode == "DOUBLE_ROUND":
        round_ = round_ + np.where(shift > 31, np.where(values >= 0, 2**30, -(2**30)), 0)
    exact = (v * m + round_) >> s
    fits = np.array([-(2**31) <= e < 2**31 for e in exact])
    inputs = [values[fits], multiplier[fits], shift[fits]]
    count = int(fits.sum())
    body = f"""
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %n = arith.constant {count} : index
      scf.for %i = %c0 to %n step %c1 {{
        %v = memref.load %in0[%i] : memref<{count}xi32>
        %m = memref.load %in1[%i] : memref<{count}xi32>
        %s = memref.load %in2[%i] : memref<{count}xi8>
        %r = tosa.apply_scale %v, %m, %s {{rounding_mode = {mode}}} : (i32, i32, i8) -> i32
        memref.store %r, %out0[%i] : memref<{count}xi32>
      }}"""
    assert_all_agree(kernel, body, inputs, exact[fits].astype("int32"))


@pytest.mark.parametrize(("bits", "helper"), [(30, "apply_scale_twice"), (31, "double_round")])
def test_small_values_are_scaled_in_32_bits(kernel: Any, bits: int, helper: str) -> None:
    """Values below 2^30 in magnitude and shifts to the right have a form without 64-bit shifts."""
    rng = np.random.default_rng(2)
    limit = 2**bits - 1
    near = [n + d for n in (0, limit, -limit, 2**20) for d in (-2, -1, 0, 1, 2)]
    values = np.clip([*near, *rng.integers(-limit, limit + 1, 4000)], -limit, limit).astype("int32")
    multiplier = rng.integers(2**30, 2**31, len(values)).astype("int32")
    multiplier[: len(near)] = 2**30
    shift = np.resize(np.arange(32, 63), len(values)).astype("int8")
    v, m, s = (x.astype(object) for x in (values, multiplier, shift))
    exact = (v * m + 2 ** (s - 1) + np.where(values >= 0, 2**30, -(2**30))) >> s
    count = len(values)
    body = f"""
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %n = arith.constant {count} : index
      %low = arith.constant {-limit} : i32
      %high = arith.constant {limit} : i32
      %least = arith.constant 32 : i8
      %most = arith.constant 62 : i8
      scf.for %i = %c0 to %n step %c1 {{
        %v = memref.load %in0[%i] : memref<{count}xi32>
        %above = arith.maxsi %v, %low : i32
        %small = arith.minsi %above, %high : i32
        %m = memref.load %in1[%i] : memref<{count}xi32>
        %s = memref.load %in2[%i] : memref<{count}xi8>
        %right = arith.maxsi %s, %least : i8
        %known = arith.minsi %right, %most : i8
        %r = tosa.apply_scale %small, %m, %known {{rounding_mode = DOUBLE_ROUND}}
          : (i32, i32, i8) -> i32
        memref.store %r, %out0[%i] : memref<{count}xi32>
      }}"""
    assert_all_agree(kernel, body, [values, multiplier, shift], exact.astype("int32"))
    module, model = kernel(body, [values, multiplier, shift], [exact.astype("int32")])
    assert any(helper in str(text) for text in project_files(module, model).values())


VALUES = np.arange(-600, 600, dtype=np.int16)
SCALED = (VALUES.astype(int) * 2**30 + 2**33 + np.where(VALUES >= 0, 2**30, -(2**30))) >> 34
"""The values divided by 16, with both roundings."""


def limited_body(zero_point: int, low: int, high: int) -> str:
    """Return a loop that divides by 16, adds a zero point, and limits the results."""
    count = len(VALUES)
    return f"""
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %n = arith.constant {count} : index
      %m = arith.constant {2**30} : i32
      %s = arith.constant 34 : i8
      %zero_point = arith.constant {zero_point} : i32
      %low = arith.constant {low} : i32
      %high = arith.constant {high} : i32
      scf.for %i = %c0 to %n step %c1 {{
        %v = memref.load %in0[%i] : memref<{count}xi16>
        %wide = arith.extsi %v : i16 to i32
        %r = tosa.apply_scale %wide, %m, %s {{rounding_mode = DOUBLE_ROUND}}
          : (i32, i32, i8) -> i32
        %moved = arith.addi %r, %zero_point : i32
        %above = arith.maxsi %moved, %low : i32
        %limited = arith.minsi %above, %high : i32
        %byte = arith.trunci %limited : i32 to i8
        memref.store %byte, %out0[%i] : memref<{count}xi8>
      }}"""


def scheduled_for(kernel: Any, cpu: str) -> Any:
    """Return a kernel whose function is scheduled for a processor."""

    def scheduled(*arguments: Any) -> Any:
        module, model = kernel(*arguments)
        function = module.body.operations[0]
        function.attributes["accel.cpu"] = ir.StringAttr.get(cpu)
        return module, model

    return scheduled


@pytest.mark.parametrize(
    ("low", "name"),
    [
        (-128, "forebay_rescale_i32"),
        (-5, "forebay_rescale_limited_i32"),
        (0, "forebay_rescale_limited_i32"),
    ],
)
def test_halves_that_a_limit_replaces_are_rounded_by_a_shorter_function(
    kernel: Any, low: int, name: str
) -> None:
    """A limit that is not below the zero point, -5, replaces every result below it."""
    wanted = np.clip(SCALED - 5, low, 127).astype(np.int8)
    body, scheduled = limited_body(-5, low, 127), scheduled_for(kernel, "cortex-m4")
    assert_all_agree(scheduled, body, [VALUES], wanted)
    files = project_files(*scheduled(body, [VALUES], [wanted]))
    assert f"{name}(" in files["kernel.c"]


@pytest.mark.parametrize("zero_point", [-128, -5, 0, 127])
@pytest.mark.parametrize("limits", [(-128, 127), (-100, 127), (-128, 99), (-5, 5)])
def test_results_of_8_bits_are_limited_without_sign(
    kernel: Any, zero_point: int, limits: tuple[int, int]
) -> None:
    """In portable C, where the limits are those of 8 bits; others stay as they are."""
    wanted = np.clip(SCALED + zero_point, *limits).astype(np.int8)
    body = limited_body(zero_point, *limits)
    assert_all_agree(kernel, body, [VALUES], wanted)
    text = project_files(*kernel(body, [VALUES], [wanted]))["kernel.c"]
    low, high = limits
    limited = "clamp_i32(scaled, 0, 255) - 128" if limits == (-128, 127) else f"{low}, {high})"
    helper = "rescale_limited_i32(" if low >= zero_point else "rescale_i32("
    assert limited in text and helper in text
    riscv = project_files(*scheduled_for(kernel, "rv32imc")(body, [VALUES], [wanted]))
    assert limited in riscv["kernel.c"] and helper in riscv["kernel.c"]
    vectors = scheduled_for(kernel, "x86-64-v3")(body, [VALUES], [wanted])
    assert "apply_scale_twice(" in project_files(*vectors)["kernel.c"]


def test_a_zero_point_that_is_an_argument_is_added_before_the_last_rounding(kernel: Any) -> None:
    """Operators that share a function hand in their zero points; -128 and 9 here."""
    count = len(VALUES)
    wanted = [np.clip(SCALED + zero_point, -128, 127).astype(np.int8) for zero_point in (-128, 9)]
    types = f"memref<{count}xi16>, memref<{count}xi8>"
    # The callee follows in the text, which ends with a return.
    body = f"""
      %first = arith.constant -128 : i32
      %second = arith.constant 9 : i32
      func.call @scaled(%in0, %out0, %first) : ({types}, i32) -> ()
      func.call @scaled(%in0, %out1, %second) : ({types}, i32) -> ()
      return
    }}
    func.func private @scaled(%in0: memref<{count}xi16>, %out0: memref<{count}xi8>, %given: i32) {{
      {limited_body(0, -128, 127).replace("%r, %zero_point", "%r, %given")}"""
    module, model = kernel(body, [VALUES], wanted)
    found = CEngine(module, model, SANITIZE).run([VALUES])
    np.testing.assert_array_equal(found, wanted)
    text = project_files(module, model)["kernel.c"]
    assert re.search(r"rescale_i32\(.*, \w+ \+ 128\)", text)
