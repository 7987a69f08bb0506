"""`memref_pool.candidates` on any op that makes a tensor holds, whatever the op is lowered to."""

from pathlib import Path

import numpy as np
import pytest

import forebay

POOLS = """
accel.device @cpu kind "c" host
memref_pool.pool @l2 workspace read [@cpu] write [@cpu]
memref_pool.pool @l1 workspace read [@cpu] write [@cpu]
"""
TYPE = "tensor<8x8xi8>"
L1 = "memref_pool.candidates = #memref_pool.space<@l1>"
EMPTY = f"%e = tensor.empty() : {TYPE}"
IN_L1 = {
    "max": f"{EMPTY}\n %r = linalg.max {{{L1}}} ins(%a, %b : {TYPE}, {TYPE}) outs(%e : {TYPE}) "
    f"-> {TYPE}",
    "matmul": f"{EMPTY}\n %z = arith.constant 0 : i8\n %f = linalg.fill ins(%z : i8) "
    f"outs(%e : {TYPE}) -> {TYPE}\n %r = linalg.matmul {{{L1}}} ins(%a, %b : {TYPE}, {TYPE}) "
    f"outs(%f : {TYPE}) -> {TYPE}",
    "empty": f"%e = tensor.empty() {{{L1}}} : {TYPE}\n "
    f"%r = linalg.max ins(%a, %b : {TYPE}, {TYPE}) outs(%e : {TYPE}) -> {TYPE}",
    "tosa": f"%r = tosa.maximum %a, %b {{{L1}}} : ({TYPE}, {TYPE}) -> {TYPE}",
}


@pytest.mark.parametrize("kind", IN_L1)
def test_it_holds_on_every_kind_of_op(tmp_path: Path, kind: str) -> None:
    """The result is read by a transposition, into the caller's memory: 64 bytes in @l1 alone."""
    net = tmp_path / "net.mlir"
    net.write_text(
        f"{POOLS}func.func @main(%a: {TYPE}, %b: {TYPE}) -> {TYPE} {{\n {IN_L1[kind]}\n"
        f"%t = tosa.transpose %r {{perms = array<i32: 1, 0>}} : ({TYPE}) -> {TYPE}\n"
        f"return %t : {TYPE} }}\n"
    )
    model = forebay.compile(net)
    assert {pool.name: pool.size for pool in model.info.pools if pool.size} == {"l1": 64}
    a, b = np.random.default_rng(1).integers(-9, 9, (2, 8, 8)).astype(np.int8)
    expected = a @ b if kind == "matmul" else np.maximum(a, b)
    np.testing.assert_array_equal(model.run(a, b, engine="emulator"), expected.T)
    np.testing.assert_array_equal(model.run(a, b), expected.T)
