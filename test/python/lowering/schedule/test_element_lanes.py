"""Additions and products of tensors in vectors of neighbouring elements."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from common.model_file import T
from common.models.two_operands import EVERY_PAIR, binary
from common.tflite_reference import micro, random_int8

import forebay

LANES = {"cortex-m55": 4, "cortex-a76": 8, "x86-64-v3": 8}
"""The neighbouring elements that a processor computes at once."""
SHAPES = ((2, 4, 3, 5), (1, 1, 1, 5), (2, 4, 3, 1), (1, 4, 1, 1), (7,), (3,))


def compiled(file: bytes, directory: Path, cpu: str) -> forebay.Compiled:
    path = directory / "network.tflite"
    path.write_bytes(file)
    return forebay.compile(path, cpu=cpu)


def code_of(network: forebay.Compiled, directory: Path) -> str:
    return (network.write(directory / "out") / "network.c").read_text()


@pytest.mark.parametrize("cpu", LANES)
@pytest.mark.parametrize("name", ["ADD", "SUB", "MUL"])
@pytest.mark.parametrize(
    ("scales", "zero_points"),
    [((0.05, 0.05, 0.09), (-3, 4, 5)), ((0.0613, 0.0171, 0.0777), (-128, -128, -128))],
)
def test_every_pair_of_values_is_exact(
    name: str, scales: tuple[float, ...], zero_points: tuple[int, ...], cpu: str, tmp_path: Path
) -> None:
    x, y, out = (T((1, 256, 256), "int8", s, z) for s, z in zip(scales, zero_points, strict=True))
    file = binary(name, x, y, out)
    network = compiled(file, tmp_path, cpu)
    (expected,) = micro(file, EVERY_PAIR)
    for engine in ("c", "llvm"):
        np.testing.assert_array_equal(network.run(*EVERY_PAIR, engine=engine), expected)
    assert f"forebay_store_rescaled_i32x{LANES[cpu]}" in code_of(network, tmp_path)


@pytest.mark.parametrize("name", ["ADD", "SUB", "MUL"])
@pytest.mark.parametrize("shape", SHAPES[:5])
def test_operands_that_repeat_are_exact(name: str, shape: tuple[int, ...], tmp_path: Path) -> None:
    whole = SHAPES[0] if len(shape) == 4 else shape
    operands = T(whole, "int8", 0.05, 3), T(shape, "int8", 0.02, -7)
    file = binary(name, *operands, T(whole, "int8", 0.06, 1))
    x, y = random_int8(1, *whole), random_int8(2, *shape)
    network = compiled(file, tmp_path, "cortex-m55")
    (expected,) = micro(file, (x, y))
    np.testing.assert_array_equal(network.run(x, y), expected)
    # Five neighbouring elements are one vector and one element.
    assert "forebay_extend_i32x4" in code_of(network, tmp_path)


@pytest.mark.parametrize("cpu", LANES)
def test_fewer_elements_than_lanes_are_computed_one_by_one(cpu: str, tmp_path: Path) -> None:
    operand = T((3,), "int8", 0.05, 3)
    file = binary("ADD", operand, operand, operand)
    x, y = random_int8(1, 3), random_int8(2, 3)
    network = compiled(file, tmp_path, cpu)
    np.testing.assert_array_equal(network.run(x, y), micro(file, (x, y))[0])
    assert "i32x" not in code_of(network, tmp_path)


@pytest.mark.parametrize("cpu", ["x86-64-v4", "cascadelake", "cortex-m4"])
def test_other_processors_compute_elements_one_by_one(cpu: str, tmp_path: Path) -> None:
    """With AVX-512 GCC makes longer vectors of the loops over single elements."""
    operand = T((1, 256, 256), "int8", 0.05, 3)
    network = compiled(binary("ADD", operand, operand, operand), tmp_path, cpu)
    assert "forebay_rescale_i32x" not in code_of(network, tmp_path)


def test_the_smallest_code_has_no_vectors(tmp_path: Path) -> None:
    operand = T((1, 256, 256), "int8", 0.05, 3)
    path = tmp_path / "network.tflite"
    path.write_bytes(binary("ADD", operand, operand, operand))
    network = forebay.compile(path, cpu="cortex-m55", optimize="size")
    assert "i32x" not in code_of(network, tmp_path)
