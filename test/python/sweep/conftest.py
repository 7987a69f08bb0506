"""A small network, and targets in files that end the process which loads them."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

NETWORK = """\
func.func @main(%x: tensor<1x8x8xf32>) -> tensor<1x8x8xf32> {
  %zero = "tosa.const"() <{values = dense<0.0> : tensor<1xf32>}> : () -> tensor<1xf32>
  %a = tosa.matmul %x, %x, %zero, %zero
    : (tensor<1x8x8xf32>, tensor<1x8x8xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<1x8x8xf32>
  %b = tosa.matmul %a, %x, %zero, %zero
    : (tensor<1x8x8xf32>, tensor<1x8x8xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<1x8x8xf32>
  return %b : tensor<1x8x8xf32>
}
"""
KILLED = """
import os, signal
from pathlib import Path
from forebay.api.target import Device, Pool, Target

def target(number: int = 0):
    marker = Path(__file__).with_suffix(f".{number}")
    if number == 2 and (ALWAYS or not marker.exists()):
        marker.touch()
        os.kill(os.getpid(), signal.SIGKILL)
    return Target(
        "killed",
        devices=(Device("cpu", kind="cpu", host=True),),
        pools=(Pool("ram", "workspace"), Pool("rom", "constant")),
    )
"""


@pytest.fixture
def study(tmp_path: Path) -> Callable[[str], Path]:
    """A function that writes a sweep's file beside `net.mlir` and returns its path."""
    (tmp_path / "net.mlir").write_text(NETWORK)

    def write(text: str) -> Path:
        path = tmp_path / "sweep.yaml"
        path.write_text(text)
        return path

    return write


@pytest.fixture
def killing(tmp_path: Path) -> Callable[..., str]:
    """A function that returns a study of five tasks, the third of which kills its worker."""

    def text(*, always: bool) -> str:
        folder = tmp_path / "targets"
        folder.mkdir()
        (folder / "killed.py").write_text(KILLED.replace("ALWAYS", str(always)))
        return (
            "networks: [net.mlir]\n"
            "targets: [{target: targets/killed.py, parameters: {number: [0, 1, 2, 3, 4]}}]\n"
        )

    return text
