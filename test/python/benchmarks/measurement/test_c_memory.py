"""What memory the benchmark finds in C code."""

import shutil
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

BENCHMARKS = Path(__file__).parents[4] / "benchmarks"
pytestmark = pytest.mark.skipif(shutil.which("gcc") is None, reason="gcc is not installed")
Sizes = dict[str, int]


@pytest.fixture
def found(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Callable[..., tuple[Sizes, Sizes]]:
    monkeypatch.syspath_prepend(BENCHMARKS)
    from measurement import c_memory

    monkeypatch.delitem(sys.modules, "measurement.c_memory")

    def measure(code: str, **pools: int) -> tuple[Sizes, Sizes]:
        source = tmp_path / "net.c"
        source.write_text(f"#include <stdint.h>\n{code}\n")
        declared = [c_memory.CObject(name, size) for name, size in pools.items()]
        local, static = c_memory.extra_memory([source], declared, tmp_path)
        return {x.name: x.size for x in local}, {x.name: x.size for x in static}

    return measure


def test_local_array_above_16_bytes_counts(found: Callable) -> None:
    code = """
    int f(int n) { int8_t small[16]; int32_t row[5];
                   small[n] = 1; row[n] = 2; return row[0] + small[0]; }"""
    assert found(code) == ({"row": 20}, {})


def test_local_struct_counts_like_an_array(found: Callable) -> None:
    code = "int f(int n) { struct { int32_t a[8]; } s = {{0}}; return s.a[n]; }"
    assert found(code) == ({"s": 32}, {})


def test_array_in_an_inner_block_counts(found: Callable) -> None:
    code = """
    int f(int n) { for (int i = 0; i < n; ++i) { int32_t acc[9]; acc[i] = n; n += acc[i]; }
                   return n; }"""
    assert found(code) == ({"acc": 36}, {})


def test_constants_do_not_count(found: Callable) -> None:
    code = """
    static const int8_t weights[64] = {1};
    int f(int n) { static const int32_t lut[8] = {1}; return lut[n] + weights[n]; }"""
    assert found(code) == ({}, {})


def test_static_scratch_counts_once(found: Callable) -> None:
    code = """
    static int8_t scratch[64];
    int f(int n) { static int32_t memo[20]; memo[n]++; return memo[0] + scratch[n]; }"""
    local, static = found(code)
    assert local == {}
    assert sorted(static.values()) == [64, 80]


def test_local_is_not_hidden_by_a_static_of_another_function(found: Callable) -> None:
    code = """
    int f(int n) { static int32_t memo[20]; memo[n]++; return memo[0]; }
    int g(int n) { int32_t memo[20]; memo[n] = n; return memo[0]; }"""
    local, static = found(code)
    assert local == {"memo": 80}
    assert list(static.values()) == [80]


def test_declared_pools_do_not_count(found: Callable) -> None:
    code = "int8_t net_workspace[3072]; int f(int n) { return net_workspace[n]; }"
    assert found(code, net_workspace=3072) == ({}, {})


def test_pool_larger_than_declared_counts(found: Callable) -> None:
    code = "int8_t net_workspace[4096]; int f(int n) { return net_workspace[n]; }"
    assert found(code, net_workspace=3072) == ({}, {"net_workspace": 4096})


def test_constant_pointers_to_pools_do_not_count(found: Callable) -> None:
    code = """
    static int8_t workspace[3072];
    typedef struct { int8_t *workspace; } net_pools;
    extern const net_pools pools;
    const net_pools pools = {workspace};"""
    assert found(code, workspace=3072) == ({}, {})


def test_local_is_not_hidden_by_a_global_of_its_name(found: Callable) -> None:
    code = """
    static int32_t t[4];
    int f(int n) { int32_t t[8]; t[n] = n; return t[0]; }
    int g(int n) { return t[n] += n; }"""
    assert found(code) == ({"t": 32}, {"t": 16})
