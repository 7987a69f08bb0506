"""Minima, maxima and stores of elements of 8 bits, and single lanes of sums, on their machines."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
from common.toolchain import COMPILERS, STRICT_C99, require

from forebay.codegen.project.interface.runtime import instruction_set_header
from forebay.mcu import boards, build_application, run_application
from forebay.mcu.tools import missing

TEST = """
#include "HEADER"

static uint32_t state = 1;

static int8_t draw(void)
{
    state = (uint32_t)(state * UINT64_C(48271) % UINT64_C(2147483647));
    return (int8_t)((int32_t)((state >> 8) % 256u) - 128);
}

int main(void)
{
    for (int32_t round = 0; round < 3000; ++round) {
        int8_t a[LANES];
        int8_t b[LANES];
        int8_t out[LANES + 1];
        const int8_t one = round < 256 ? (int8_t)(round - 128) : draw();
        for (int32_t i = 0; i < LANES; ++i) {
            a[i] = draw();
            b[i] = round % 3 == 0 ? a[i] : draw();
        }
        out[LANES] = 77;
        FOREBAY(store)(out, FOREBAY(max)(FOREBAY(load)(a), FOREBAY(load)(b)));
        for (int32_t i = 0; i < LANES; ++i) {
            if (out[i] != (a[i] > b[i] ? a[i] : b[i])) {
                return 1;
            }
        }
        FOREBAY(store)(out, FOREBAY(min)(FOREBAY(load)(a), FOREBAY(splat)(one)));
        for (int32_t i = 0; i < LANES; ++i) {
            if (out[i] != (a[i] < one ? a[i] : one)) {
                return 2;
            }
        }
#if LANES == 16
        for (uint32_t count = 5; count < 16; ++count) {
            for (int32_t i = 0; i < LANES; ++i) {
                out[i] = 5;
            }
            forebay_store_first_i8x16(out, forebay_load_i8x16(b), count);
            for (int32_t i = 0; i < LANES; ++i) {
                if (out[i] != (i < (int32_t)count ? b[i] : 5)) {
                    return 3;
                }
            }
        }
        const int32_t last = FOREBAY_SUMS(get)(FOREBAY_SUMS(extend)(a), SUMS - 1);
        if (FOREBAY_SUMS(get)(FOREBAY_SUMS(extend)(a), 1) != a[1] || last != a[SUMS - 1]) {
            return 5;
        }
#endif
        if (out[LANES] != 77) {
            return 4;
        }
    }
    return 0;
}
"""
LANES = {"forebay_dsp.h": 4, "forebay_mve.h": 16, "forebay_avx2.h": 16, "forebay_neon.h": 16}


def write(directory: Path, header: str) -> None:
    lanes, sums = LANES[header], 4 if header == "forebay_mve.h" else 8
    text = TEST.replace("HEADER", header).replace("LANES", str(lanes))
    names = f"#define FOREBAY(name) forebay_##name##_i8x{lanes}\n"
    names += f"#define FOREBAY_SUMS(name) forebay_##name##_i32x{sums}\n#define SUMS {sums}\n"
    (directory / "extremes.c").write_text(names + text)
    (directory / header).write_text(instruction_set_header(header))


def is_right(directory: Path, compiler: str, *flags: str, runner: tuple[str, ...] = ()) -> bool:
    command = [require(compiler), *STRICT_C99, *flags, "extremes.c", "-o", "extremes"]
    subprocess.run(command, cwd=directory, check=True)
    done = subprocess.run([*runner, str(directory / "extremes")], cwd=directory, check=False)
    return done.returncode == 0


@pytest.mark.parametrize("header", LANES)
def test_the_portable_forms(header: str, tmp_path: Path) -> None:
    write(tmp_path, header)
    portable = [f"-DFOREBAY_{name}=0" for name in ("AVX2", "MVE", "NEON", "DSP")]
    assert is_right(tmp_path, "gcc", "-O2", "-fsanitize=undefined", *portable)


def test_avx2(tmp_path: Path) -> None:
    if "avx2" not in Path("/proc/cpuinfo").read_text():
        pytest.skip("this processor has no AVX2")
    write(tmp_path, "forebay_avx2.h")
    assert is_right(tmp_path, "gcc", "-O3", "-march=x86-64-v3")


def test_neon(tmp_path: Path) -> None:
    write(tmp_path, "forebay_neon.h")
    runner = (require("qemu-aarch64"), "-cpu", "max")
    assert is_right(tmp_path, "aarch64-linux-gnu-gcc", "-O2", "-static", runner=runner)


@pytest.mark.parametrize(
    ("header", "name", "flags"),
    [
        ("forebay_dsp.h", "mps2-an386", []),
        ("forebay_dsp.h", "mps3-an547", ["-mcpu=cortex-m55"]),
        ("forebay_mve.h", "mps3-an547", ["-mcpu=cortex-m55"]),
    ],
)
def test_instructions_of_boards(header: str, name: str, flags: list[str], tmp_path: Path) -> None:
    write(tmp_path, header)
    board = boards.load(name)
    if absent := missing(board):
        pytest.skip(f"no {absent[0].program}")
    source = [tmp_path / "extremes.c"]
    elf = build_application(board, source, [], tmp_path / "out", flags=["-O2", *flags])
    assert run_application(board, elf) == 0


@pytest.mark.parametrize("header", LANES)
@pytest.mark.parametrize("compiler", COMPILERS)
def test_no_compiler_has_anything_to_say(compiler: str, header: str, tmp_path: Path) -> None:
    write(tmp_path, header)
    flags = [*COMPILERS[compiler], *STRICT_C99[1:], "-std=c99", "-O2"]
    command = [require(compiler), *flags, "-c", "extremes.c", "-o", "extremes.o"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
