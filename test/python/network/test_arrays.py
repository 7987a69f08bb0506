"""Files of arrays: by name or by position, of the right types and shapes, nothing left over."""

from __future__ import annotations

import zipfile
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from forebay.network.array_files import ArrayFileError, read_arrays, write_arrays
from forebay.network.arrays import (
    read_golden,
    read_inputs,
    require_equal,
    write_outputs,
)
from forebay.network.model import Port

A, B = Port("a", "int8", (2,)), Port("b", "int16", (1, 3))
Y = Port("y", "float32", (2,))
ONE, TWO = np.array([1, -2], np.int8), np.array([[3, 4, 5]], np.int16)
OUT = np.array([0.5, np.nan], np.float32)


@pytest.fixture
def archive(tmp_path: Path) -> Callable[..., Path]:
    def written(**arrays: np.ndarray) -> Path:
        path = tmp_path / "x.npz"
        np.savez(path, **arrays)
        return path

    return written


def assert_steps(steps: tuple[tuple[np.ndarray, ...], ...], *expected: list[np.ndarray]) -> None:
    assert len(steps) == len(expected)
    for step, arrays in zip(steps, expected, strict=True):
        assert len(step) == len(arrays)
        for one, other in zip(step, arrays, strict=True):
            np.testing.assert_array_equal(one, other)


def test_inputs_by_name_in_any_order(archive: Callable[..., Path]) -> None:
    assert_steps(read_inputs(archive(b=TWO, a=ONE), [A, B]), [ONE, TWO])


def test_inputs_by_position_are_inferences_in_order(archive: Callable[..., Path]) -> None:
    path = archive(in1_1=-TWO, in0_0=ONE, in1_0=-ONE, in0_1=TWO)
    assert_steps(read_inputs(path, [A, B]), [ONE, TWO], [-ONE, -TWO])


def test_inputs_that_are_named_as_positions_go_by_name(archive: Callable[..., Path]) -> None:
    swapped = [Port("in0_1", "int8", (2,)), Port("in0_0", "int16", (1, 3))]
    assert_steps(read_inputs(archive(in0_0=TWO, in0_1=ONE), swapped), [ONE, TWO])


def test_one_input_from_one_array(tmp_path: Path) -> None:
    np.save(tmp_path / "x.npy", ONE)
    assert_steps(read_inputs(tmp_path / "x.npy", [A]), [ONE])
    with pytest.raises(ArrayFileError, match=r"has one array, but the network 2 inputs: a, b"):
        read_inputs(tmp_path / "x.npy", [A, B])


def test_the_order_of_bytes_in_a_file_does_not_matter(archive: Callable[..., Path]) -> None:
    assert_steps(read_inputs(archive(a=ONE, b=TWO.astype(">i2")), [A, B]), [ONE, TWO])


@pytest.mark.parametrize(
    ("arrays", "message"),
    [
        ({"A": ONE, "B": TWO}, "needs the arrays a, b and no others; missing: a, b; unknown: A, B"),
        ({"b": ONE}, "missing: a"),
        ({"a": ONE, "b": TWO, "c": TWO}, "and no others; unknown: c"),
        ({"a": ONE, "in0_1": TWO}, "missing: in0_0; unknown: a"),
        ({"in0_0": ONE, "in0_1": TWO, "in2_0": ONE, "in2_1": TWO}, "missing: in1_0, in1_1"),
        ({"in0_0": ONE, "in0_1": TWO, "in0_2": TWO}, "unknown: in0_2"),
        ({"in0_0": ONE, "in0_1": TWO, "in00_0": ONE}, "unknown: in00_0"),
        (
            {"in0_0": ONE, "in0_1": TWO, "out0_0": OUT},
            "has expected outputs, too; give it as --gol",
        ),
        ({"a": TWO, "b": ONE}, r"'a' does not fit: input 'a' is int8[2], int16[1, 3] was given"),
        ({"in0_0": ONE, "in0_1": TWO[0]}, "input 'b' is int16[1, 3], int16[3] was given"),
        ({"a": ONE.astype(np.uint8), "b": TWO}, "input 'a' is int8[2], uint8[2] was given"),
        ({}, "missing: a, b"),
    ],
)
def test_other_arrays_are_refused(
    arrays: dict[str, np.ndarray], message: str, archive: Callable[..., Path]
) -> None:
    with pytest.raises(ArrayFileError) as caught:
        read_inputs(archive(**arrays), [A, B])
    assert message in str(caught.value)


def test_goldens_are_inferences_in_order(archive: Callable[..., Path]) -> None:
    path = archive(in0_0=ONE, out0_0=OUT, in1_0=-ONE, out1_0=-OUT)
    golden = read_golden(path, [A], [Y])
    assert_steps(tuple(step.inputs for step in golden), [ONE], [-ONE])
    assert_steps(tuple(step.outputs for step in golden), [OUT], [-OUT])


@pytest.mark.parametrize(
    ("arrays", "message"),
    [
        ({"x": ONE, "y": OUT}, "goldens are arrays named in0_0, out0_0, in1_0, ...; there are: x"),
        ({"in0_0": ONE}, "missing: out0_0"),
        ({"in0_0": ONE, "out0_0": OUT, "in1_0": ONE}, "missing: out1_0"),
        ({"in0_0": ONE, "out0_0": OUT, "in2_0": ONE, "out2_0": OUT}, "missing: in1_0, out1_0"),
        ({"in0_0": ONE, "out0_0": OUT, "labels": ONE}, "no others; unknown: labels"),
        ({"in0_0": ONE, "out0_0": OUT, "out0_1": OUT}, "unknown: out0_1"),
        ({"in0_0": ONE, "out0_0": ONE}, "output 'y' is float32[2], int8[2] was given"),
    ],
)
def test_other_goldens_are_refused(
    arrays: dict[str, np.ndarray], message: str, archive: Callable[..., Path]
) -> None:
    with pytest.raises(ArrayFileError) as caught:
        read_golden(archive(**arrays), [A], [Y])
    assert message in str(caught.value)


def test_outputs_have_their_names_for_one_inference_and_positions_for_several(
    tmp_path: Path,
) -> None:
    path = tmp_path / "y.npz"
    assert write_outputs(path, [A, Y], [(ONE, OUT)]) == ["a", "y"]
    np.testing.assert_array_equal(np.load(path)["y"], OUT)
    assert write_outputs(path, [A], [(ONE,), (-ONE,)]) == ["out0_0", "out1_0"]
    np.testing.assert_array_equal(np.load(path)["out1_0"], -ONE)
    with pytest.raises(ArrayFileError, match=r"y\.txt: outputs are written to a \.npz file"):
        write_outputs(tmp_path / "y.txt", [A], [(ONE,)])


def test_any_name_is_written_and_read(tmp_path: Path) -> None:
    names = ["file", "allow_pickle", "a/b:0", "x", "x.npy", "../x", "größe", "入力", " ", "x" * 255]
    arrays = {name: np.array([number], np.int8) for number, name in enumerate(names)}
    write_arrays(tmp_path / "x.npz", arrays)
    assert {name: int(array[0]) for name, array in read_arrays(tmp_path / "x.npz").items()} == {
        name: number for number, name in enumerate(names)
    }
    before = (tmp_path / "x.npz").read_bytes()
    write_arrays(tmp_path / "x.npz", arrays)
    assert (tmp_path / "x.npz").read_bytes() == before


def test_files_that_are_none_are_refused(tmp_path: Path) -> None:
    for name, content in (("x.npz", b"PK"), ("x.npy", b"\x93NUMPY"), ("y.npy", b"")):
        (tmp_path / name).write_bytes(content)
        with pytest.raises(ArrayFileError, match="cannot be read as NumPy arrays: "):
            read_inputs(tmp_path / name, [A])
    with pytest.raises(ArrayFileError, match=r"none\.npz: No such file or directory"):
        read_inputs(tmp_path / "none.npz", [A])
    with pytest.raises(ArrayFileError, match=r"inputs are \.npy, \.npz or \.png files"):
        read_inputs(tmp_path / "x.txt", [A])
    np.save(tmp_path / "objects.npy", np.array([object()]), allow_pickle=True)
    with pytest.raises(ArrayFileError, match="Object arrays cannot be loaded"):
        read_inputs(tmp_path / "objects.npy", [A])


@pytest.mark.filterwarnings("ignore:Duplicate name")
def test_archives_with_two_arrays_of_one_name_or_other_files_are_refused(tmp_path: Path) -> None:
    np.save(tmp_path / "x.npy", ONE)
    for names, message in ((["a.npy", "a.npy"], "the array 'a' twice"), (["a.txt"], "is no array")):
        with zipfile.ZipFile(tmp_path / "x.npz", "w") as file:
            for name in names:
                file.write(tmp_path / "x.npy", name)
        with pytest.raises(ArrayFileError, match=message):
            read_arrays(tmp_path / "x.npz")


def test_outputs_are_compared_with_goldens() -> None:
    require_equal([Y], [(OUT,)], [(OUT + np.float32(5e-6),)], "g.npz")
    with pytest.raises(
        ArrayFileError,
        match=r"^g\.npz: inference 1, output 'a': 1 of 2 elements differ; element \[1\] is -2, "
        r"expected 2$",
    ):
        require_equal([A], [(ONE,), (ONE,)], [(ONE,), (abs(ONE),)], "g.npz")
