"""The examples of each way in, as they stand; each runs where its extra is installed."""

from __future__ import annotations

import importlib.util
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]
EXAMPLES = ROOT / "examples" / "ways_in"


def printed_by(example: str, folder: Path) -> str:
    done = subprocess.run(
        [sys.executable, str(EXAMPLES / example)],
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def require(extra: str, *modules: str) -> None:
    """Skip the test where a module of an extra is missing."""
    if any(importlib.util.find_spec(name) is None for name in modules):
        pytest.skip(f"needs the extra forebay[{extra}]")


def test_a_network_of_onnx(tmp_path: Path) -> None:
    require("onnx", "onnx")
    assert "5 of 5 outputs equal ONNX's reference" in printed_by("onnx_network.py", tmp_path)


@pytest.mark.slow
def test_a_function_of_jax(tmp_path: Path) -> None:
    require("jax", "jax")
    *_, last = printed_by("jax_function.py", tmp_path).splitlines()
    assert float(last.removeprefix("the largest difference from JAX is ")) < 1e-6


@pytest.mark.slow
def test_a_module_of_pytorch(tmp_path: Path) -> None:
    require("torch", "torch", "litert_torch")
    assert "operators; workspace " in printed_by("torch_module.py", tmp_path)
    assert (tmp_path / "torch_module_out" / "sequential.c").exists()


@pytest.mark.slow
def test_a_flatbuffer_of_tosa(tmp_path: Path) -> None:
    if not (Path(sys.executable).parent / "tosa-opt").is_file():
        pytest.skip("needs tosa-opt, the extra forebay[tosa]")
    assert "['image', 'pooled']" in printed_by("tosa_flatbuffer.py", tmp_path)
