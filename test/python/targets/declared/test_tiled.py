"""Declared intrinsics in tiles: any memory that holds the smallest tile gives the same results."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from common.tosa_text import Main

import forebay

MACHINE = Path(__file__).parents[3] / "common" / "machines" / "declared_machine.py"


@pytest.mark.slow
@pytest.mark.parametrize(
    "parameters",
    ["spad=49152,rank=1", "spad=16384,rank=4", "blocks=1,spad=24576,rank=3"],
)
def test_resnet8(parameters: str, shared_models: Path) -> None:
    golden = np.load(shared_models / "golden" / "tflm" / "resnet8_int8.npz")
    found = forebay.compile(shared_models / "resnet8_int8.tflite", target=f"{MACHINE}:{parameters}")
    sizes = dict(entry.split("=") for entry in parameters.split(","))
    assert found.plan.peak("spad") <= int(sizes["spad"])
    found.emulator().run([golden["in0_0"]])
    for engine in ("emulator", "llvm"):
        np.testing.assert_array_equal(found.run(golden["in0_0"], engine=engine), golden["out0_0"])


def product(rows: int, depth: int, columns: int) -> str:
    """An int8 product of two inputs with zero points, requantised."""
    a, b = f"tensor<1x{rows}x{depth}xi8>", f"tensor<1x{depth}x{columns}xi8>"
    text = Main([a, b])
    sums, y = f"tensor<1x{rows}x{columns}xi32>", f"tensor<1x{rows}x{columns}xi8>"
    points = [text.constant(np.array([point], np.int8)) for point in (3, -5)]
    operands = [("%x0", a), ("%x1", b), *((p, "tensor<1xi8>") for p in points)]
    total = text.op("tosa.matmul", operands, "", sums)
    factors = [1518500250], [40]
    return text.returning(text.rescale(total, sums, y, factors, zero_points=(0, 7)), y)


@pytest.mark.parametrize("spad", [4096, 160])
def test_a_product_of_two_inputs(spad: int, tmp_path: Path) -> None:
    """The host computes the same; 160 bytes hold a row, a column and their blocks of 16 bytes."""
    model = tmp_path / "product.mlir"
    model.write_text(product(13, 40, 10), encoding="utf-8")
    found = forebay.compile(model, target=f"{MACHINE}:spad={spad},rank=2")
    assert found.offload.share_of_macs("npu") == 1.0
    random = np.random.default_rng(7)
    given = [random.integers(-128, 128, s, dtype=np.int8) for s in ((1, 13, 40), (1, 40, 10))]
    expected = forebay.compile(model).run(*given)
    assert len(np.unique(expected)) > 20
    for engine in ("emulator", "c", "llvm"):
        np.testing.assert_array_equal(found.run(*given, engine=engine), expected)
