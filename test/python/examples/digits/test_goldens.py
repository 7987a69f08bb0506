"""What digits_heldout.npz claims, against the sources that it was made from."""

from pathlib import Path

import numpy as np
import pytest
import tflite

Arrays = dict[str, np.ndarray]


def test_reference_reads_97_percent_of_held_out_digits(held_out: Arrays) -> None:
    right = held_out["outputs"].argmax(1) == held_out["labels"]
    assert len(right) == 449
    assert right.mean() >= 0.97


def test_rows_are_a_fixed_quarter_of_the_set(held_out: Arrays) -> None:
    permutation = np.random.RandomState(0).permutation(1797)
    np.testing.assert_array_equal(held_out["rows"], permutation[:449])


def test_held_out_digits_are_those_of_scikit_learn(held_out: Arrays) -> None:
    datasets = pytest.importorskip("sklearn.datasets", reason="scikit-learn is not installed")
    data = datasets.load_digits()
    grey = np.floor(data.images[held_out["rows"]] * 255 / 16 + 0.5)
    np.testing.assert_array_equal(held_out["inputs"][..., 0].astype(int) + 128, grey)
    np.testing.assert_array_equal(held_out["labels"], data.target[held_out["rows"]])


def test_tflite_micro_answers_every_digit_bit_for_bit(model: Path, held_out: Arrays) -> None:
    tflm = pytest.importorskip("tflite_micro", reason="tflite-micro is not installed")
    interpreter = tflm.runtime.Interpreter.from_file(str(model))
    for image, expected in zip(held_out["inputs"], held_out["outputs"], strict=True):
        interpreter.set_input(image[None], 0)
        interpreter.invoke()
        np.testing.assert_array_equal(interpreter.get_output(0)[0], expected)


def test_first_digit_has_every_operators_output(model: Path, held_out: Arrays) -> None:
    graph = tflite.Model.GetRootAs(model.read_bytes()).Subgraphs(0)
    outputs = [graph.Tensors(graph.Operators(i).Outputs(0)) for i in range(graph.OperatorsLength())]
    shapes = {f"tensor/{x.Name().decode()}": tuple(x.ShapeAsNumpy()) for x in outputs}
    kept = {name: array.shape for name, array in held_out.items() if name.startswith("tensor/")}
    assert kept == shapes
    np.testing.assert_array_equal(held_out["tensor/scores"][0], held_out["outputs"][0])
