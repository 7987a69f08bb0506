"""Compile a quantised ONNX network, and compare its outputs with ONNX's reference evaluator.

python examples/ways_in/onnx_network.py [NETWORK.onnx]
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import onnx
from onnx.reference import ReferenceEvaluator

import forebay

OURS = Path(__file__).parents[2] / "test" / "models" / "separable_qdq.onnx"


def main(path: Path) -> None:
    """Print the plan, and how many outputs are equal."""
    compiled = forebay.compile(path)
    print(compiled)
    rng = np.random.default_rng(0)
    reference = ReferenceEvaluator(onnx.load(path))
    inputs = [rng.normal(size=port.shape).astype(port.dtype) for port in compiled.inputs]
    expected = reference.run(None, dict(zip(reference.input_names, inputs, strict=True)))[0]
    found = compiled.run(*inputs)
    print(f"{np.sum(found == expected)} of {expected.size} outputs equal ONNX's reference")


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else OURS)
