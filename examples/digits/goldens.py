"""Run the held-out digits through TFLite Micro and write its outputs.

python examples/digits/goldens.py    (needs tflite-micro and scikit-learn)
"""

from pathlib import Path

import numpy as np
from data import load_split
from net import LAYERS
from numpy.typing import NDArray
from tflite_micro import runtime

MODEL = Path(__file__).with_name("digits_int8.tflite")
HELD_OUT = Path(__file__).with_name("digits_heldout.npz")
SAMPLE = 0  # the held-out digit whose intermediate tensors are stored, too


def main() -> None:
    """Write inputs, labels, outputs and one sample's tensors, and print the accuracy."""
    _, digits = load_split()
    outputs = tflm_outputs(MODEL, digits.images)
    tensors = tflm_tensors(MODEL, digits.images[SAMPLE])
    np.savez_compressed(
        HELD_OUT,
        inputs=digits.images,
        labels=digits.labels,
        rows=digits.rows,
        outputs=outputs,
        **{f"tensor/{name}": value for name, value in tensors.items()},
    )
    right = int((outputs.argmax(1) == digits.labels).sum())
    count = len(digits.labels)
    print(f"int8 accuracy on held-out digits: {right} of {count} = {right / count:.2%}")
    print(f"wrote {HELD_OUT}: {HELD_OUT.stat().st_size:,} bytes")


def tflm_outputs(model: Path, images: NDArray[np.int8]) -> NDArray[np.int8]:
    """Return TFLite Micro's scores [n, 10] for pictures [n, 8, 8, 1]."""
    interpreter = runtime.Interpreter.from_file(str(model))
    scores = []
    for image in images:
        interpreter.set_input(image[None], 0)
        interpreter.invoke()
        scores.append(interpreter.get_output(0)[0])
    return np.array(scores)


def tflm_tensors(model: Path, image: NDArray[np.int8]) -> dict[str, NDArray[np.int8]]:
    """Return the output of every operator for one picture [8, 8, 1], by the tensor's name."""
    keep = runtime.InterpreterConfig.kPreserveAllTensors
    interpreter = runtime.Interpreter.from_file(str(model), intrepreter_config=keep)
    interpreter.set_input(image[None], 0)
    interpreter.invoke()
    return {
        layer.output: np.array(interpreter.GetTensor(index, 0)["tensor_data"])
        for layer, index in zip(LAYERS, _output_indices(model), strict=True)
    }


def _output_indices(model: Path) -> list[int]:
    import tflite  # noqa: PLC0415 - tflite and tflite_micro both carry a schema

    graph = tflite.Model.GetRootAs(model.read_bytes()).Subgraphs(0)
    return [graph.Operators(i).Outputs(0) for i in range(graph.OperatorsLength())]


if __name__ == "__main__":
    main()
