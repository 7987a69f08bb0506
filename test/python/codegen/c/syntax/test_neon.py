"""The header for NEON: clean under compilers; instructions and portable forms compute the same."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
from common.toolchain import COMPILERS, STRICT_C99, require

from forebay.codegen.project.interface.runtime import instruction_set_header

AARCH64 = "aarch64-linux-gnu-gcc"
DOT = "-march=armv8.2-a+dotprod"
ALL_COMPILERS = {**COMPILERS, AARCH64: [DOT]}
PROGRAM = """
#include "forebay_neon.h"
#include "forebay_neon_elements.h"

void totals(int8_t *out, const int32_t *bias, const int8_t *x, const int8_t *w, const int32_t *m,
    const int8_t *s);
void lanes(int8_t *out, const int8_t *x, const int8_t *w, const int32_t *m);
void wide(int8_t *out, const int32_t *sums, const int32_t *m, const int8_t *s);
int32_t part(const int8_t *x, const int8_t *w, uint32_t count);
int32_t between(const int8_t *x, int32_t index, int32_t begin, int32_t end, const int8_t *w);
void elements(int8_t *out, const int8_t *x, const int8_t *w, int32_t m, int32_t s);

void totals(int8_t *out, const int32_t *bias, const int8_t *x, const int8_t *w, const int32_t *m,
    const int8_t *s)
{
    const forebay_i8x16 value = forebay_load_i8x16(x);
    const forebay_i32x4 zero = forebay_splat_i32x4(0);
    forebay_i32x4 sums[4];
    for (int32_t i = 0; i < 4; ++i) {
        sums[i] = forebay_dots_i32x4_i8x16(zero, value, 128, forebay_load_i8x16(w + i));
    }
    const forebay_i32x4 all = forebay_add_totals_i32x4(forebay_load_i32x4(bias), sums[0], sums[1],
        sums[2], sums[3]);
    forebay_store_rescaled_i32x4(out, all, forebay_load_i32x4(m), forebay_extend_i32x4(s), -3, -100,
        90);
}

void lanes(int8_t *out, const int8_t *x, const int8_t *w, const int32_t *m)
{
    forebay_i32x8 sums = forebay_multiply_add_i32x8(forebay_splat_i32x8(-7),
        forebay_extend_i16x8(x), 128, forebay_extend_i16x8(w));
    sums = forebay_multiply_add_i32x8(sums, forebay_splat_i16x8(-77), 0, forebay_extend_i16x8(w));
    forebay_store_rescaled_i32x8(out, sums, forebay_load_i32x8(m), forebay_splat_i32x8(38), 0, -128,
        127);
}

void wide(int8_t *out, const int32_t *sums, const int32_t *m, const int8_t *s)
{
    const forebay_i32x4 four = forebay_of_i32x4(sums[0], sums[1], sums[2], sums[3]);
    forebay_store_rescaled_i32x8(out, forebay_load_i32x8(sums), forebay_load_i32x8(m),
        forebay_extend_i32x8(s), 5, -128, 127);
    forebay_store_scaled_i32x8(out + 8, forebay_load_i32x8(sums), forebay_load_i32x8(m),
        forebay_extend_i32x8(s), 5, -128, 127);
    forebay_store_scaled_i32x4(out + 16, four, forebay_load_i32x4(m), forebay_extend_i32x4(s), 5,
        -128, 127);
}

int32_t part(const int8_t *x, const int8_t *w, uint32_t count)
{
    const forebay_i32x4 zero = forebay_splat_i32x4(0);
    forebay_i32x4 sums = forebay_dots_i32x4_i8x16(zero, forebay_load_first_i8x16(x, count), -300,
        forebay_load_first_i8x16(w, count));
    sums = forebay_dots_i32x4_i8x16(sums, forebay_load_i8x16(x), 0, forebay_load_i8x16(w));
    return forebay_total_i32x4(sums, 11);
}

int32_t between(const int8_t *x, int32_t index, int32_t begin, int32_t end, const int8_t *w)
{
    const forebay_i32x4 zero = forebay_splat_i32x4(0);
    return forebay_total_i32x4(forebay_dots_i32x4_i8x16(zero,
        forebay_load_between_i8x16(x, index, begin, end, -9), 0, forebay_load_i8x16(w)), 0);
}

void elements(int8_t *out, const int8_t *x, const int8_t *w, int32_t m, int32_t s)
{
    const forebay_i32x8 a = forebay_extend_i32x8(x);
    const forebay_i32x8 b = forebay_extend_i32x8(w);
    const forebay_i32x8 moved = forebay_add_each_i32x8(b, 5);
    const forebay_i32x8 product = forebay_subtract_i32x8(forebay_multiply_i32x8(a, b), moved);
    const forebay_i32x8 large = forebay_multiply_each_i32x8(product, 4096);
    const forebay_i32x8 short_ = forebay_add_i32x8(a, forebay_rescale_i32x8(large, m, s));
    const forebay_i32x8 exact_ = forebay_add_i32x8(a, forebay_scale_i32x8(large, m, s));
    forebay_store_rescaled_i32x8(out, short_, forebay_splat_i32x8(1 << 30), forebay_splat_i32x8(40),
        5, -100, 100);
    forebay_store_rescaled_i32x8(out + 8, exact_, forebay_splat_i32x8(1 << 30),
        forebay_splat_i32x8(40), -128, -128, 127);
}
"""
RUN = """
#include <stdlib.h>

static int32_t rescaled(int64_t sum, int32_t m, int32_t shift)
{
    const int64_t rounding = ((int64_t)1 << (shift - 1)) + (sum >= 0 ? 1 << 30 : -(1 << 30));
    return (int32_t)((sum * m + rounding) >> shift);
}

static int32_t limited(int32_t value, int32_t least, int32_t most)
{
    return value < least ? least : value > most ? most : value;
}

static uint32_t state = 1;

static uint32_t draw(void)
{
    state = (uint32_t)(state * UINT64_C(48271) % UINT64_C(2147483647));
    return state;
}

int main(void)
{
    for (int32_t round = 0; round < 2000; ++round) {
        int32_t sums[8];
        int32_t bias[4];
        int32_t m[8];
        int8_t s[8];
        int8_t x[24];
        int8_t w[24];
        int8_t out[20];
        for (int32_t i = 0; i < 24; ++i) {
            x[i] = (int8_t)(draw() % 256u - 128u);
            w[i] = (int8_t)(draw() % 256u - 128u);
        }
        for (int32_t i = 0; i < 8; ++i) {
            sums[i] = ((int32_t)(draw() % (1u << 31)) - (1 << 30) + 1) >> (draw() % 28u);
            m[i] = (int32_t)(draw() % (1u << 30)) + (1 << 30);
            s[i] = (int8_t)(32 + draw() % 22u);
        }
        for (int32_t i = 0; i < 4; ++i) {
            bias[i] = (int32_t)(draw() % 65536u) - 32768;
        }
        totals(out, bias, x, w, m, s);
        for (int32_t i = 0; i < 4; ++i) {
            int32_t wanted = bias[i];
            for (int32_t k = 0; k < 16; ++k) {
                wanted += (x[k] + 128) * w[k + i];
            }
            if (out[i] != limited(rescaled(wanted, m[i], s[i]) - 3, -100, 90)) {
                return 1;
            }
        }
        lanes(out, x, w, m);
        for (int32_t i = 0; i < 8; ++i) {
            const int32_t sum = -7 + (x[i] + 128) * w[i] - 77 * w[i];
            if (out[i] != limited(rescaled(sum, m[i], 38), -128, 127)) {
                return 2;
            }
        }
        elements(out, x, w, m[0], s[0]);
        for (int32_t i = 0; i < 8; ++i) {
            const int32_t large = (x[i] * w[i] - (w[i] + 5)) * 4096;
            const int32_t sum = rescaled(x[i] + rescaled(large, m[0], s[0]), 1 << 30, 40);
            if (out[i] != limited(sum + 5, -100, 100) ||
                    out[8 + i] != limited(sum - 128, -128, 127)) {
                return 7;
            }
        }
        wide(out, sums, m, s);
        for (int32_t i = 0; i < 8; ++i) {
            const int32_t wanted = limited(rescaled(sums[i], m[i], s[i]) + 5, -128, 127);
            if (out[i] != wanted || out[8 + i] != wanted || (i < 4 && out[16 + i] != wanted)) {
                return 3;
            }
        }
        for (uint32_t count = 1; count <= 16; ++count) {
            int32_t wanted = 11;
            for (uint32_t k = 0; k < 16; ++k) {
                wanted += x[k] * w[k] + (k < count ? (x[k] - 300) * w[k] : 0);
            }
            if (part(x, w, count) != wanted) {
                return 4;
            }
        }
        /* The elements before x and behind it are not to be read. */
        int8_t *exact = malloc(5);
        if (exact == NULL) {
            return 5;
        }
        memcpy(exact, x, 5);
        for (int32_t index = -20; index < 8; ++index) {
            int32_t wanted = 0;
            for (int32_t k = 0; k < 16; ++k) {
                const int32_t at = index + k;
                wanted += (at >= 0 && at < 5 ? exact[at] : -9) * w[k];
            }
            const int32_t begin = index < -16 ? 16 : (index < 0 ? -index : 0);
            const int32_t end = 5 - index < 16 ? 5 - index : 16;
            if (between(exact, index, begin, end, w) != wanted) {
                free(exact);
                return 6;
            }
        }
        free(exact);
    }
    return 0;
}
"""


@pytest.mark.parametrize("language", ["c99", "c++17"])
@pytest.mark.parametrize("compiler", ALL_COMPILERS)
def test_no_compiler_has_anything_to_say(compiler: str, language: str, tmp_path: Path) -> None:
    write(tmp_path, PROGRAM)
    flags = [*ALL_COMPILERS[compiler], *STRICT_C99[1:], f"-std={language}", "-O2"]
    kind = ["-x", "c++"] if language == "c++17" else []
    if kind and ALL_COMPILERS[compiler]:
        kind += ["-Drestrict=__restrict"]
    if kind and compiler == AARCH64:
        pytest.skip("the C compiler alone is installed for AArch64")
    command = [require(compiler), *flags, *kind, "-c", "vectors.c", "-o", "vectors.o"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.parametrize(
    "flags", [[DOT], [DOT, "-DFOREBAY_NEON_DOT=0"], ["-DFOREBAY_NEON=0"], ["-march=armv8-a"]]
)
def test_both_forms_compute_the_results_on_aarch64(flags: list[str], tmp_path: Path) -> None:
    write(tmp_path, PROGRAM + RUN)
    command = [
        require(AARCH64),
        *STRICT_C99,
        "-O2",
        *flags,
        "-static",
        "vectors.c",
        "-o",
        "vectors",
    ]
    subprocess.run(command, cwd=tmp_path, check=True)
    command = [require("qemu-aarch64"), "-cpu", "max", "./vectors"]
    assert subprocess.run(command, cwd=tmp_path, check=False).returncode == 0


@pytest.mark.parametrize("compiler", ["gcc", "clang"])
def test_the_portable_form_computes_the_results(compiler: str, tmp_path: Path) -> None:
    write(tmp_path, PROGRAM + RUN)
    flags = ["-fsanitize=undefined", "-fno-sanitize-recover=all"] if compiler == "gcc" else []
    command = [require(compiler), *STRICT_C99, "-O2", *flags, "vectors.c", "-o", "vectors"]
    subprocess.run(command, cwd=tmp_path, check=True)
    assert subprocess.run([tmp_path / "vectors"], check=False).returncode == 0


def test_sixteen_products_are_one_instruction(tmp_path: Path) -> None:
    write(tmp_path, PROGRAM)
    command = [require(AARCH64), *STRICT_C99, "-O2", DOT, "-S", "vectors.c"]
    subprocess.run(command, cwd=tmp_path, check=True)
    text = (tmp_path / "vectors.s").read_text()
    # In a loop and for some elements, with the sums of the factors for an offset; without an
    # offset; between others, of which there may be none.
    assert text.count("\tsdot\t") == 2 + 2 + 1 + 2
    assert "sqrdmulh" in text


def write(directory: Path, program: str) -> None:
    (directory / "vectors.c").write_text(program)
    for name in ("forebay_neon.h", "forebay_neon_elements.h"):
        (directory / name).write_text(instruction_set_header(name))
