"""Write a TOSA flatbuffer by `tosa-opt`, and compile it.

python examples/ways_in/tosa_flatbuffer.py
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np

import forebay

MODEL = """
func.func @main(%image: tensor<1x8x8x4xi8> {tosa.tensor_name = "image"})
    -> (tensor<1x4x4x4xi8> {tosa.tensor_name = "pooled"}) {
  %0 = tosa.max_pool2d %image {kernel = array<i64: 2, 2>, stride = array<i64: 2, 2>,
    pad = array<i64: 0, 0, 0, 0>} : (tensor<1x8x8x4xi8>) -> tensor<1x4x4x4xi8>
  %1 = tosa.clamp %0 {min_val = 0 : i8, max_val = 100 : i8}
    : (tensor<1x4x4x4xi8>) -> tensor<1x4x4x4xi8>
  return %1 : tensor<1x4x4x4xi8>
}
"""


def main() -> None:
    """Print the plan and an output."""
    with tempfile.TemporaryDirectory() as folder:
        text, path = Path(folder, "net.mlir"), Path(folder, "net.tosa")
        text.write_text(MODEL)
        options = f"tosa-flatbuffer-filename={path} retain-graph-input-output-names=true"
        tool = Path(sys.executable).parent / "tosa-opt"
        subprocess.run([tool, f"--tosa-serialize={options}", text, "-o", "/dev/null"], check=True)
        compiled = forebay.compile(path)
    print(compiled, [port.name for port in (*compiled.inputs, *compiled.outputs)])
    image = np.random.default_rng(0).integers(-128, 128, (1, 8, 8, 4)).astype(np.int8)
    print(compiled.run(image)[0, 0])


if __name__ == "__main__":
    main()
