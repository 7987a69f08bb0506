"""Partial sums and totals through LLVM have the values of their description."""

from __future__ import annotations

import numpy as np
import pytest
from common.oracles.vector_jit import run_vectors

from forebay._libs._forebay import has_features, host_triple
from forebay.lowering.kernels.vector_features import ByteProducts, VectorFeatures


def _numbers(seed: int, size: int, kind: type[np.signedinteger]) -> np.ndarray:
    limits = np.iinfo(kind)
    return np.random.default_rng(seed).integers(limits.min, limits.max, size, kind, endpoint=True)


def _dots(lanes: int, sums: int, offset: int) -> str:
    word, total = f"vector<{lanes}xi8>", f"vector<{sums}xi32>"
    return f"""
      func.func @main(%x: memref<{lanes}xi8>, %w: memref<{lanes}xi8>, %s: memref<{sums}xi32>) {{
        %c0 = arith.constant 0 : index
        %x0 = vector.load %x[%c0] : memref<{lanes}xi8>, {word}
        %w0 = vector.load %w[%c0] : memref<{lanes}xi8>, {word}
        %s0 = vector.load %s[%c0] : memref<{sums}xi32>, {total}
        %0 = accel.dots %s0, %x0, %w0 offset {offset} : {total}, {word}
        vector.store %0, %s[%c0] : memref<{sums}xi32>, {total}
        return
      }}"""


@pytest.mark.parametrize("masked", [False, True])
@pytest.mark.parametrize("offset", [0, 128, -127])
@pytest.mark.parametrize(("lanes", "sums"), [(16, 8), (32, 8), (16, 4), (4, 8), (13, 8), (27, 8)])
def test_all_products_are_in_one_of_the_sums(
    lanes: int, sums: int, offset: int, masked: bool
) -> None:
    x, w = (_numbers(seed, lanes, np.int8) for seed in (1, 2))
    start = _numbers(3, sums, np.int32) >> 8
    found = start.copy()
    features = VectorFeatures(masked_loads=masked)
    run_vectors(_dots(lanes, sums, offset), x, w, found, features=features)
    products = (x.astype(np.int32) + offset) * w.astype(np.int32)
    assert found.sum() == start.sum() + products.sum()


@pytest.mark.parametrize("offset", [0, 128, -127])
@pytest.mark.parametrize("lanes", [32, 27, 13])
def test_products_of_bytes_without_sign_are_exact(lanes: int, offset: int) -> None:
    """The largest products do not saturate."""
    if not has_features(host_triple(), "native", "avx512vl,avx512vnni"):
        pytest.skip("this processor has no AVX-512 VNNI")
    x, w = np.full(lanes, 127, np.int8), np.full(lanes, -128, np.int8)
    x[::3] = -128
    found = np.zeros(8, np.int32)
    features = VectorFeatures(byte_products="vpdpbusd")
    run_vectors(_dots(lanes, 8, offset), x, w, found, features=features)
    products = (x.astype(np.int32) + offset) * w.astype(np.int32)
    assert found.sum() == products.sum()


@pytest.mark.parametrize("offset", [128, 0, -3, 255])
@pytest.mark.parametrize("instruction", ["none", "vpdpbusd"])
@pytest.mark.parametrize(("word", "sums"), [(4, 16), (4, 8), (4, 4), (3, 5), (1, 16)])
def test_each_sum_has_the_products_of_its_word(
    word: int, sums: int, instruction: ByteProducts, offset: int
) -> None:
    """The sums wrap around, and the largest products do not saturate."""
    if instruction != "none" and not has_features(host_triple(), "native", "avx512vl,avx512vnni"):
        pytest.skip("this processor has no AVX-512 VNNI")
    x, w = _numbers(1, word, np.int8), _numbers(2, word * sums, np.int8)
    x[0], w[:: 2 * word] = 127, -128
    found = _numbers(3, sums, np.int32)
    found[:2] = -(2**31), 2**31 - 1
    products = (x.astype(np.int64) + offset) * w.reshape(sums, word)
    wanted = (found + products.sum(axis=1)).astype(np.int32)
    all_, types = word * sums, f"vector<{sums}xi32>, vector<{word}xi8>, vector<{word * sums}xi8>"
    source = f"""
      func.func @main(%x: memref<{word}xi8>, %w: memref<{all_}xi8>, %s: memref<{sums}xi32>) {{
        %c0 = arith.constant 0 : index
        %x0 = vector.load %x[%c0] : memref<{word}xi8>, vector<{word}xi8>
        %w0 = vector.load %w[%c0] : memref<{all_}xi8>, vector<{all_}xi8>
        %s0 = vector.load %s[%c0] : memref<{sums}xi32>, vector<{sums}xi32>
        %0 = accel.dot_each %s0, %x0, %w0 offset {offset} : {types}
        vector.store %0, %s[%c0] : memref<{sums}xi32>, vector<{sums}xi32>
        return
      }}"""
    run_vectors(source, x, w, found, features=VectorFeatures(byte_products=instruction))
    np.testing.assert_array_equal(found, wanted)


@pytest.mark.parametrize("offset", [0, 128])
def test_the_sum_of_a_product_has_neighbours_only(offset: int) -> None:
    """A sum in the first element of the factors is no sum of the last ones."""
    x, w, found = np.zeros(16, np.int8), np.zeros(16, np.int8), np.zeros(8, np.int32)
    x[4:6], w[4:6] = (3, -7), (100, 5)
    run_vectors(_dots(16, 8, offset), x, w, found)
    assert found.tolist() == [0, 0, (3 + offset) * 100 + (-7 + offset) * 5, 0, 0, 0, 0, 0]


def _totals(count: int, lanes: int) -> str:
    type_, start = f"vector<{lanes}xi32>", f"vector<{count}xi32>"
    loads = "\n".join(
        f"%c{i} = arith.constant {i} : index\n"
        f"%v{i} = vector.load %x[%c{i}, %c0] : memref<{count}x{lanes}xi32>, {type_}"
        for i in range(count)
    )
    sums, types = ", ".join(f"%v{i}" for i in range(count)), ", ".join([type_] * count)
    return f"""
      func.func @main(%x: memref<{count}x{lanes}xi32>, %s: memref<{count}xi32>) {{
        {loads}
        %b = vector.load %s[%c0] : memref<{count}xi32>, {start}
        %0 = accel.add_totals %b, {sums} : {start}, {types}
        vector.store %0, %s[%c0] : memref<{count}xi32>, {start}
        return
      }}"""


@pytest.mark.parametrize(("count", "lanes"), [(8, 8), (4, 4), (2, 2), (8, 4), (3, 3)])
def test_each_total_has_its_own_lane(count: int, lanes: int) -> None:
    x, start = _numbers(1, count * lanes, np.int32), _numbers(2, count, np.int32)
    found = start.copy()
    run_vectors(_totals(count, lanes), x.reshape(count, lanes), found)
    sums = x.reshape(count, lanes).sum(axis=1, dtype=np.int64)
    assert (found == (start + sums).astype(np.int32)).all()
