"""The header for AVX2: clean under compilers; instructions and portable forms compute the same."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
from common.toolchain import COMPILERS, STRICT_C99, require

from forebay.codegen.project.interface.runtime import instruction_set_header

PROGRAM = """
#include "forebay_avx2.h"
#include "forebay_avx2_elements.h"

void totals(int8_t *out, const int32_t *bias, const int8_t *x, const int8_t *w, const int32_t *m,
    const int8_t *s);
void lanes(int8_t *out, const int8_t *x, const int8_t *w, const int32_t *m);
void wide(int8_t *out, const int32_t *sums, const int32_t *m, const int8_t *s,
        const int32_t *all, const int8_t *any);
int32_t part(const int8_t *x, const int8_t *w, uint32_t count);
int32_t between(const int8_t *x, int32_t index, int32_t begin, int32_t end, const int8_t *w);
int32_t many(const int8_t *x, const int8_t *w, uint32_t count);
int32_t gap(const int8_t *x, int32_t index, int32_t begin, int32_t end, const int8_t *w);
void elements(int8_t *out, const int8_t *x, const int8_t *w, int32_t m, int32_t s);

void totals(int8_t *out, const int32_t *bias, const int8_t *x, const int8_t *w, const int32_t *m,
    const int8_t *s)
{
    const forebay_i8x16 value = forebay_load_i8x16(x);
    const forebay_i32x8 zero = forebay_splat_i32x8(0);
    forebay_i32x8 sums[8];
    for (int32_t i = 0; i < 8; ++i) {
        sums[i] = forebay_dots_i32x8_i8x16(zero, value, 128, forebay_load_i8x16(w + i));
    }
    const forebay_i32x8 all = forebay_add_totals_i32x8(forebay_load_i32x8(bias), sums[0], sums[1],
        sums[2], sums[3], sums[4], sums[5], sums[6], sums[7]);
    forebay_store_rescaled_i32x8(out, all, forebay_load_i32x8(m), forebay_extend_i32x8(s), -3, -100,
        90);
}

void lanes(int8_t *out, const int8_t *x, const int8_t *w, const int32_t *m)
{
    const forebay_i32x8 start = forebay_of_i32x8(-7, 6, -5, 4, -3, 2, -1, 0);
    forebay_i32x8 sums = forebay_multiply_add_i32x8(start, forebay_extend_i16x8(x), 128,
        forebay_extend_i16x8(w));
    sums = forebay_multiply_add_i32x8(sums, forebay_splat_i16x8(-77), 0, forebay_extend_i16x8(w));
    forebay_store_rescaled_i32x8(out, sums, forebay_load_i32x8(m), forebay_splat_i32x8(38), 0, -128,
        127);
}

void wide(int8_t *out, const int32_t *sums, const int32_t *m, const int8_t *s,
        const int32_t *all, const int8_t *any)
{
    forebay_store_rescaled_i32x8(out, forebay_load_i32x8(sums), forebay_load_i32x8(m),
        forebay_extend_i32x8(s), 5, -128, 127);
    forebay_store_scaled_i32x8(out + 8, forebay_load_i32x8(all), forebay_load_i32x8(m),
        forebay_extend_i32x8(any), 5, -128, 127);
}

int32_t part(const int8_t *x, const int8_t *w, uint32_t count)
{
    const forebay_i32x8 zero = forebay_splat_i32x8(0);
    forebay_i32x8 sums = forebay_dots_i32x8_i8x16(zero, forebay_load_first_i8x16(x, count), -300,
        forebay_load_first_i8x16(w, count));
    sums = forebay_dots_i32x8_i8x4(sums, forebay_load_i8x4(x), 0, forebay_load_i8x4(w));
    return forebay_total_i32x8(sums, 11);
}

int32_t between(const int8_t *x, int32_t index, int32_t begin, int32_t end, const int8_t *w)
{
    const forebay_i32x8 zero = forebay_splat_i32x8(0);
    const int32_t most = end < 4 ? end : 4;
    forebay_i32x8 sums = forebay_dots_i32x8_i8x16(zero,
        forebay_load_between_i8x16(x, index, begin, end, -9), 0, forebay_load_i8x16(w));
    sums = forebay_dots_i32x8_i8x4(sums,
        forebay_load_between_i8x4(x, index, begin < 4 ? begin : 4, most, -9), 0,
        forebay_load_i8x4(w));
    return forebay_total_i32x8(sums, 0);
}

int32_t many(const int8_t *x, const int8_t *w, uint32_t count)
{
    const forebay_i32x8 zero = forebay_splat_i32x8(0);
    forebay_i32x8 sums = forebay_dots_i32x8_i8x32(zero, forebay_load_first_i8x32(x, count), 128,
        forebay_load_first_i8x32(w, count));
    sums = forebay_dots_i32x8_i8x32(sums, forebay_load_i8x32(x), -77, forebay_load_i8x32(w));
    return forebay_total_i32x8(sums, -4);
}

int32_t gap(const int8_t *x, int32_t index, int32_t begin, int32_t end, const int8_t *w)
{
    const forebay_i32x8 zero = forebay_splat_i32x8(0);
    return forebay_total_i32x8(forebay_dots_i32x8_i8x32(zero,
        forebay_load_between_i8x32(x, index, begin, end, -9), 128, forebay_load_i8x32(w)), 0);
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
    const int64_t away = sum >= 0 ? 1 << 30 : -(1 << 30);
    const int64_t rounding = ((int64_t)1 << (shift - 1)) + (shift > 31 ? away : 0);
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
    for (int32_t round = 0; round < 5000; ++round) {
        int32_t sums[8];
        int32_t bias[8];
        int32_t m[8];
        int32_t all[8];
        int8_t s[8];
        int8_t any[8];
        int8_t x[40];
        int8_t w[40];
        int8_t out[16];
        for (int32_t i = 0; i < 40; ++i) {
            x[i] = (int8_t)(draw() % 256u - 128u);
            w[i] = (int8_t)(draw() % 256u - 128u);
        }
        for (int32_t i = 0; i < 8; ++i) {
            sums[i] = ((int32_t)(draw() % (1u << 31)) - (1 << 30) + 1) >> (draw() % 28u);
            bias[i] = (int32_t)(draw() % 65536u) - 32768;
            m[i] = (int32_t)(draw() % (1u << 30)) + (1 << 30);
            s[i] = (int8_t)(32 + draw() % 22u);
            /* Any shift, and a value of which the result has 32 bits. */
            any[i] = (int8_t)(2 + draw() % 61u);
            all[i] = (int32_t)(draw() << 1) >> (any[i] < 32 ? 32 - any[i] : (int32_t)(draw() % 8u));
        }
        totals(out, bias, x, w, m, s);
        for (int32_t i = 0; i < 8; ++i) {
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
            const int32_t start = i % 2 == 0 ? i - 7 : 7 - i;
            const int32_t sum = start + (x[i] + 128) * w[i] - 77 * w[i];
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
                return 9;
            }
        }
        wide(out, sums, m, s, all, any);
        for (int32_t i = 0; i < 8; ++i) {
            const int32_t wanted = limited(rescaled(sums[i], m[i], s[i]) + 5, -128, 127);
            const int32_t of_all = limited(rescaled(all[i], m[i], any[i]), -133, 122) + 5;
            if (out[i] != wanted || out[8 + i] != of_all) {
                return 3;
            }
        }
        for (uint32_t count = 1; count <= 16; ++count) {
            int32_t wanted = 11;
            for (uint32_t k = 0; k < count; ++k) {
                wanted += (x[k] - 300) * w[k] + (k < 4 ? x[k] * w[k] : 0);
            }
            for (uint32_t k = count; k < 4; ++k) {
                wanted += x[k] * w[k];
            }
            if (part(x, w, count) != wanted) {
                return 4;
            }
        }
        for (uint32_t count = 17; count <= 32; ++count) {
            int32_t wanted = -4;
            for (uint32_t k = 0; k < 32; ++k) {
                wanted += (x[k] - 77) * w[k] + (k < count ? (x[k] + 128) * w[k] : 0);
            }
            if (many(x, w, count) != wanted) {
                return 7;
            }
        }
        /* The elements before x and behind it are not to be read. */
        int8_t *exact = malloc(5);
        if (exact == NULL) {
            return 5;
        }
        memcpy(exact, x, 5);
        for (int32_t index = -40; index < 8; ++index) {
            int32_t wanted = 0;
            int32_t wanted2 = 0;
            for (int32_t k = 0; k < 32; ++k) {
                const int32_t at = index + k;
                const int32_t value = at >= 0 && at < 5 ? exact[at] : -9;
                wanted += k < 16 ? value * w[k] * (k < 4 ? 2 : 1) : 0;
                wanted2 += (value + 128) * w[k];
            }
            const int32_t begin = index < -16 ? 16 : (index < 0 ? -index : 0);
            const int32_t end = 5 - index < 16 ? 5 - index : 16;
            if (between(exact, index, begin, end, w) != wanted) {
                free(exact);
                return 6;
            }
            const int32_t begin2 = index < -32 ? 32 : (index < 0 ? -index : 0);
            const int32_t end2 = 5 - index < 32 ? 5 - index : 32;
            if (gap(exact, index, begin2, end2, w) != wanted2) {
                free(exact);
                return 8;
            }
        }
        free(exact);
    }
    return 0;
}
"""


@pytest.mark.parametrize("language", ["c99", "c++17"])
@pytest.mark.parametrize("compiler", COMPILERS)
def test_no_compiler_has_anything_to_say(compiler: str, language: str, tmp_path: Path) -> None:
    write(tmp_path, PROGRAM)
    flags = [*COMPILERS[compiler], *STRICT_C99[1:], f"-std={language}", "-O2"]
    kind = ["-x", "c++"] if language == "c++17" else []
    if kind and COMPILERS[compiler]:
        kind += ["-Drestrict=__restrict"]
    command = [require(compiler), *flags, *kind, "-c", "vectors.c", "-o", "vectors.o"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.parametrize(
    "flags",
    [
        ["-march=x86-64-v3"],
        ["-march=x86-64-v3", "-DFOREBAY_AVX2=0"],
        ["-march=x86-64-v3", "-fsanitize=address,undefined", "-fno-sanitize-recover=all"],
        ["-march=cascadelake"],
        ["-march=cascadelake", "-DFOREBAY_VNNI=0"],
    ],
)
@pytest.mark.parametrize("compiler", ["gcc", "clang"])
def test_both_forms_compute_the_results(compiler: str, flags: list[str], tmp_path: Path) -> None:
    cpu, needed = Path("/proc/cpuinfo"), "avx2"
    if "-march=cascadelake" in flags:
        needed = "avx512_vnni"
    if not cpu.exists() or needed not in cpu.read_text().split():
        pytest.skip(f"this processor has no {needed}")
    write(tmp_path, PROGRAM + RUN)
    command = [require(compiler), *STRICT_C99, "-O2", *flags, "vectors.c", "-o", "vectors"]
    subprocess.run(command, cwd=tmp_path, check=True)
    assert subprocess.run([tmp_path / "vectors"], check=False).returncode == 0


def test_sixteen_products_are_one_instruction(tmp_path: Path) -> None:
    write(tmp_path, PROGRAM)
    flags = ["-O2", "-march=x86-64-v3"]
    command = [require("gcc"), *STRICT_C99, *flags, "-S", "vectors.c"]
    subprocess.run(command, cwd=tmp_path, check=True)
    text = (tmp_path / "vectors.s").read_text()
    # In a loop over eight words, of some elements, between others, of two words of four, of the 16
    # products of lanes that are not negative, and two for each of three words of 32.
    assert text.count("vpmaddwd") == 5 + 1 + 2 * 3
    # Of lanes that may be negative, and of two elements; products with powers of two are shifts.
    assert text.count("vpmulld") == 1 + 1


def test_thirty_two_products_are_one_instruction_with_vnni(tmp_path: Path) -> None:
    write(tmp_path, PROGRAM)
    flags = ["-O2", "-march=cascadelake"]
    command = [require("gcc"), *STRICT_C99, *flags, "-S", "vectors.c"]
    subprocess.run(command, cwd=tmp_path, check=True)
    text = (tmp_path / "vectors.s").read_text()
    # Two words of 32 elements with the zero point -128; all others are in pairs of 16 bits.
    assert (text.count("vpdpbusd"), text.count("vpmaddwd")) == (2, 0)
    assert text.count("vpdpwssd") == 5 + 1 + 2


def write(directory: Path, program: str) -> None:
    (directory / "vectors.c").write_text(program)
    for name in ("forebay_avx2.h", "forebay_avx2_elements.h"):
        (directory / name).write_text(instruction_set_header(name))
