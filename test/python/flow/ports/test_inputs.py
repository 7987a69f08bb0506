"""Inputs of a compiled network: by name or in order, in Python and on the command line."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from common.loaded_commands import run_forebay
from common.model_file import Graph, Op, T, build

import forebay
from forebay.errors import Error
from forebay.network.model import GoldenStep

from .graphs import drawn, named, written


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """`first` and `second`, of one type and shape: a swap would go unnoticed."""
    return written(named(["first", "second"], ["y", "z"]), tmp_path_factory.mktemp("model"))


@pytest.fixture(scope="module")
def compiled(model: Path) -> forebay.Compiled:
    return forebay.compile(model)


VALUES = drawn(named(["first", "second"], ["y", "z"]))


def test_in_order_and_by_name_are_the_same(compiled: forebay.Compiled) -> None:
    first, second = VALUES
    expected = compiled.run(first, second)
    for result in (
        compiled.run({"second": second, "first": first}),
        compiled.run(second=second, first=first),
        compiled.run(first.tolist(), second) if first.dtype == np.int64 else expected,
    ):
        np.testing.assert_array_equal(result, expected)
    assert not np.array_equal(expected, compiled.run(second, first))


def test_mixtures_and_other_names_are_refused(compiled: forebay.Compiled) -> None:
    first, second = VALUES
    both = "either in order or by their names, not both"
    with pytest.raises(Error, match=both):
        compiled.run(first, second=second)
    with pytest.raises(Error, match=both):
        compiled.run(first, {"second": second})
    with pytest.raises(Error, match=both):
        compiled.run({"first": first}, second=second)
    takes = "'net' takes the inputs first, second; given are: "
    for given in ({"First": first, "second": second}, {"first": first}):
        with pytest.raises(Error, match=takes + ", ".join(given)):
            compiled.run(given)
    with pytest.raises(Error, match=takes + "first, second, third"):
        compiled.run(first=first, second=second, third=second)
    with pytest.raises(Error, match=r"has 2 inputs \(first, second\), 1 were given"):
        compiled.run(first)
    with pytest.raises(Error, match=r"input 'second' is int8\[1, 8\], int8\[8\] was given"):
        compiled.run(first, second[0])


def test_goldens_of_the_api_must_fit(compiled: forebay.Compiled, tmp_path: Path) -> None:
    y, z = compiled.run(*VALUES)
    for inputs, outputs, message in (
        (VALUES, (y,), "golden 0 has 1 outputs, 'net' has 2"),
        (VALUES, (y, z.astype(np.float32)), r"golden 0: output 'z' is int8\[1, 8\], float32\[1, 8"),
        (VALUES[:1], (y, z), "golden 0 has 1 inputs"),
    ):
        with pytest.raises(Error, match=message):
            compiled.write(tmp_path / "out", golden=[GoldenStep(tuple(inputs), tuple(outputs))])
    assert not (tmp_path / "out").exists()


def test_misnamed_inputs_are_refused_and_right_ones_are_not_swapped(
    model: Path, compiled: forebay.Compiled, tmp_path: Path
) -> None:
    first, second = VALUES
    expected = compiled.run(first, second)
    np.savez(tmp_path / "wrong.npz", second_input=second, first_input=first)
    result = run_forebay("run", model, "--input", "wrong.npz", "--output", "y.npz", cwd=tmp_path)
    assert result.returncode == 1
    assert "wrong.npz: needs the arrays first, second and no others; missing: " in result.stderr
    assert not (tmp_path / "y.npz").exists()
    np.savez(tmp_path / "right.npz", second=second, first=first)
    result = run_forebay("run", model, "--input", "right.npz", "--output", "y.npz", cwd=tmp_path)
    assert result.returncode == 0, result.stderr
    with np.load(tmp_path / "y.npz") as outputs:
        np.testing.assert_array_equal([outputs["y"], outputs["z"]], expected)


def test_goldens_are_run_in_sequence_and_compared(
    model: Path, compiled: forebay.Compiled, tmp_path: Path
) -> None:
    steps = [VALUES, VALUES[::-1]]
    arrays = {f"in{s}_{i}": x for s, step in enumerate(steps) for i, x in enumerate(step)}
    arrays |= {
        f"out{s}_{i}": y for s, step in enumerate(steps) for i, y in enumerate(compiled.run(*step))
    }
    np.savez(tmp_path / "golden.npz", **arrays)
    for engine in ("c", "emulator"):
        flags = ("--golden", "golden.npz", "--engine", engine, "--output", "y.npz")
        result = run_forebay("run", model, *flags, cwd=tmp_path)
        assert result.returncode == 0, result.stderr
        assert "all outputs are as golden.npz has them: 2 inferences\n" in result.stdout
        with np.load(tmp_path / "y.npz") as outputs:
            assert sorted(outputs.files) == ["out0_0", "out0_1", "out1_0", "out1_1"]
            np.testing.assert_array_equal(outputs["out1_0"], arrays["out1_0"])
    arrays["out1_1"] = arrays["out1_1"] + 1
    np.savez(tmp_path / "golden.npz", **arrays)
    result = run_forebay("run", model, "--golden", "golden.npz", cwd=tmp_path)
    assert result.returncode == 1
    assert "golden.npz: inference 1, output 'z': 8 of 8 elements differ" in result.stderr


def test_scalars_go_in_and_out(tmp_path: Path) -> None:
    tensors = [T((), "int8", 1 / 16), T((), "int8", 1 / 256, -128)]
    path = tmp_path / "scalar.tflite"
    path.write_bytes(build(Graph(tensors, [0], [1, 0], [Op("LOGISTIC", [0], [1])])))
    compiled = forebay.compile(path)
    for engine in ("c", "llvm", "emulator"):
        y, x = compiled.run(np.array(16, np.int8), engine=engine)
        assert (x.shape, y.shape, int(x), int(y)) == ((), (), 16, 59)
