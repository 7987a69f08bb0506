"""Control flow of TOSA, and a tensor without dimensions seen as one with some."""

from pathlib import Path

import numpy as np

import forebay

T = "tensor<4xi32>"


def compiled(text: str, folder: Path) -> forebay.Compiled:
    (folder / "net.mlir").write_text(text)
    return forebay.compile(folder / "net.mlir")


def test_scatter_is_lowered(tmp_path: Path) -> None:
    text = """func.func @main(%a: tensor<1x4x2xi32>, %b: tensor<1x2x2xi32>) -> tensor<1x4x2xi32> {
  %i = "tosa.const"() <{values = dense<[[1, 3]]> : tensor<1x2xi32>}> : () -> tensor<1x2xi32>
  %r = tosa.scatter %a, %i, %b : (tensor<1x4x2xi32>, tensor<1x2xi32>, tensor<1x2x2xi32>)
    -> tensor<1x4x2xi32>
  return %r : tensor<1x4x2xi32>
}"""
    a, b = np.arange(8, dtype=np.int32).reshape(1, 4, 2), np.full((1, 2, 2), 9, np.int32)
    expected = a.copy()
    expected[:, [1, 3]] = b
    np.testing.assert_array_equal(compiled(text, tmp_path).run(a, b, engine="emulator"), expected)


def test_a_scalar_tensor_is_expanded(tmp_path: Path) -> None:
    text = f"""func.func @main(%a: {T}) -> tensor<1xi32> {{
  %e = tensor.empty() : tensor<i32>
  %zero = arith.constant 0 : i32
  %f = linalg.fill ins(%zero : i32) outs(%e : tensor<i32>) -> tensor<i32>
  %s = linalg.reduce {{arith.addi}} ins(%a : {T}) outs(%f : tensor<i32>) dimensions = [0]
  %r = tensor.expand_shape %s [] output_shape [1] : tensor<i32> into tensor<1xi32>
  return %r : tensor<1xi32>
}}"""
    a = np.array([1, 2, 3, 40], np.int32)
    np.testing.assert_array_equal(compiled(text, tmp_path).run(a, engine="emulator"), [46])
