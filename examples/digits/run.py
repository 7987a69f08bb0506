"""Compile the digits network, run its C code on the held-out digits, compare with TFLite Micro.

python examples/digits/run.py
"""

import sys
from pathlib import Path

import numpy as np

import forebay

HERE = Path(__file__).parent


def main() -> int:
    """Print plan, accuracy and agreement; return 1 when an output differs from TFLite Micro's."""
    compiled = forebay.compile(HERE / "digits_int8.tflite", target="host")
    print(forebay.summary(compiled), end="\n\n")
    with np.load(HERE / "digits_heldout.npz") as heldout:
        inputs, labels, golden = (heldout[name] for name in ("inputs", "labels", "outputs"))
    outputs = np.concatenate([compiled.run(digit[np.newaxis]) for digit in inputs])
    right = int((outputs.argmax(axis=1) == labels).sum())
    equal = int((outputs == golden).all(axis=1).sum())
    print(f"held-out digits read correctly: {right} of {len(labels)} ({right / len(labels):.1%})")
    print(f"outputs equal to TFLite Micro's, bit for bit: {equal} of {len(labels)}")
    return 0 if equal == len(labels) else 1


if __name__ == "__main__":
    sys.exit(main())
