"""Headers of instruction sets: clean under all compilers; the portable forms compute the sums."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
from common.toolchain import COMPILERS, STRICT_C99, require

from forebay.codegen.c.syntax.instruction_sets import (
    INSTRUCTION_SET_HEADERS,
    instruction_set_headers,
)
from forebay.codegen.project.interface.runtime import instruction_set_header
from forebay.mcu import boards, build_application, run_application
from forebay.mcu.tools import missing
from forebay.network.names import HEADERS

BOARDS = {"mps2-an386": [], "mps3-an547": ["-mcpu=cortex-m55"]}
"""Boards whose processors have the instructions, with the flags that enable them."""

WITHOUT_INSTRUCTIONS = (
    "forebay_scale_i32x4",
    "forebay_scale_i32x8",
    "forebay_store_scaled_i32x4",
    "forebay_store_scaled_i32x8",
    "forebay_store_scaled_i32x16",
)
"""Functions that need 64 bits, which have one form for all processors."""
VECTORS_OF = {
    "forebay_avx2_elements.h": "forebay_avx2.h",
    "forebay_avx512.h": "forebay_avx2.h",
    "forebay_neon_elements.h": "forebay_neon.h",
}
"""Headers that are included for the vectors of others."""
NEON_WORDS = "i8x4"
"""Vectors that are the first part of longer ones with NEON, and so have their two forms."""

PROGRAM = """
#include "forebay_dsp.h"
#include "forebay_mve.h"

int32_t many(int32_t sum, const int8_t *x, const int8_t *w);
int32_t scaled(int32_t sum, int32_t multiplier, int32_t shift);

int32_t many(int32_t sum, const int8_t *x, const int8_t *w)
{
    sum = forebay_dot_i8x16(sum, forebay_load_i8x16(x), 0, forebay_load_i8x16(w));
    sum = forebay_dot_i8x16(sum, forebay_splat_i8x16(-3), 0, forebay_load_i8x16(w));
    return forebay_dot_i8x16(sum, forebay_load_first_i8x16(x, 11), 128,
        forebay_load_first_i8x16(w, 11));
}

int32_t some(const int8_t *x, const int8_t *w, int32_t index, int32_t begin, int32_t end);

int32_t some(const int8_t *x, const int8_t *w, int32_t index, int32_t begin, int32_t end)
{
    return forebay_dot_i8x16(0, forebay_load_between_i8x16(x, index, begin, end, -9), 0,
        forebay_load_i8x16(w));
}

int32_t few(const int8_t *x, const int8_t *w, int32_t index, int32_t begin, int32_t end);

int32_t few(const int8_t *x, const int8_t *w, int32_t index, int32_t begin, int32_t end)
{
    return forebay_dot_i8x4(0, forebay_load_between_i8x4(x, index, begin, end, -9), 9,
        forebay_load_i8x4(w));
}

int32_t scaled(int32_t sum, int32_t multiplier, int32_t shift)
{
    return forebay_saturate_i8(forebay_rescale_i32(sum, multiplier, shift, 5));
}

int32_t scaled_limited(int32_t sum, int32_t multiplier, int32_t shift);

int32_t scaled_limited(int32_t sum, int32_t multiplier, int32_t shift)
{
    return forebay_saturate_i8(forebay_rescale_limited_i32(sum, multiplier, shift, -128));
}

void four(int8_t *out, const int32_t *sums, const int32_t *m, const int8_t *s);
void eight(int8_t *out, const int32_t *sums, const int32_t *m, const int8_t *s);
void positive(int8_t *out, const int32_t *sums, const int32_t *m, const int8_t *s);
void wide(int8_t *out, const int32_t *sums, const int32_t *m, const int8_t *s);
void added(int8_t *out, const int8_t *x, const int8_t *w, const int32_t *m);

void four(int8_t *out, const int32_t *sums, const int32_t *m, const int8_t *s)
{
    const forebay_i32x4 values = forebay_of_i32x4(sums[0], sums[1], sums[2], sums[3]);
    forebay_store_rescaled_i32x4(out, values, forebay_load_i32x4(m), forebay_extend_i32x4(s), -128,
        -128, 127);
}

void eight(int8_t *out, const int32_t *sums, const int32_t *m, const int8_t *s)
{
    forebay_store_rescaled_i32x8(out, forebay_load_i32x8(sums), forebay_load_i32x8(m),
        forebay_extend_i32x8(s), 5, -100, 100);
}

/* The low limit of the first 8 results is the zero point, that of the others is far below it. */
void positive(int8_t *out, const int32_t *sums, const int32_t *m, const int8_t *s)
{
    forebay_store_rescaled_i32x8(out, forebay_load_i32x8(sums), forebay_load_i32x8(m),
        forebay_extend_i32x8(s), -128, -128, 127);
    forebay_store_rescaled_i32x4(out + 8, forebay_load_i32x4(sums), forebay_load_i32x4(m),
        forebay_extend_i32x4(s), 5, -100, 100);
}

void wide(int8_t *out, const int32_t *sums, const int32_t *m, const int8_t *s)
{
    forebay_store_scaled_i32x4(out, forebay_load_i32x4(sums), forebay_load_i32x4(m),
        forebay_extend_i32x4(s), -128, -128, 127);
    forebay_store_scaled_i32x8(out + 4, forebay_load_i32x8(sums), forebay_load_i32x8(m),
        forebay_extend_i32x8(s), 5, -100, 100);
}

void added(int8_t *out, const int8_t *x, const int8_t *w, const int32_t *m)
{
    const forebay_i32x8 start = forebay_splat_i32x8(-1000);
    forebay_i32x8 sums = forebay_multiply_add_i32x8(start, forebay_extend_i16x8(x), 128,
        forebay_extend_i16x8(w));
    sums = forebay_multiply_add_i32x8(sums, forebay_splat_i16x8(-77), 0, forebay_extend_i16x8(w));
    forebay_store_rescaled_i32x8(out, sums, forebay_load_i32x8(m), forebay_splat_i32x8(38), 0, -128,
        127);
}

void elements(int8_t *out, const int8_t *x, const int8_t *w, int32_t m, int32_t s);

void elements(int8_t *out, const int8_t *x, const int8_t *w, int32_t m, int32_t s)
{
    const forebay_i32x4 a = forebay_extend_i32x4(x);
    const forebay_i32x4 b = forebay_extend_i32x4(w);
    const forebay_i32x4 moved = forebay_add_each_i32x4(b, 5);
    const forebay_i32x4 product = forebay_subtract_i32x4(forebay_multiply_i32x4(a, b), moved);
    const forebay_i32x4 large = forebay_multiply_each_i32x4(product, 4096);
    const forebay_i32x4 short_ = forebay_add_i32x4(a, forebay_rescale_i32x4(large, m, s));
    const forebay_i32x4 exact_ = forebay_add_i32x4(a, forebay_scale_i32x4(large, m, s));
    forebay_store_rescaled_i32x4(out, short_, forebay_splat_i32x4(1 << 30), forebay_splat_i32x4(40),
        5, -100, 100);
    forebay_store_rescaled_i32x4(out + 4, exact_, forebay_splat_i32x4(1 << 30),
        forebay_splat_i32x4(40), 5, -100, 100);
}

int32_t all(int32_t sum, const int8_t *x, const int8_t *w);
int32_t one(int32_t sum, const int8_t *x, const int8_t *w);

int32_t all(int32_t sum, const int8_t *x, const int8_t *w)
{
    sum = forebay_dot_i8x4(sum, forebay_load_i8x4(x), 0, forebay_load_i8x4(w));
    sum = forebay_dot_i8x4(sum, forebay_splat_i8x4(-3), 0, forebay_load_i8x4(w));
    return forebay_dot_i8x4(sum, forebay_load_i8x4(x + 1), -300, forebay_load_i8x4(w + 1));
}

int32_t one(int32_t sum, const int8_t *x, const int8_t *w)
{
    sum = forebay_lane_i8x4(sum, forebay_load_i8x4(x), 128, forebay_load_i8x4(w), 1);
    return forebay_lane_i8x4(sum, forebay_load_i8x4(x), 0, forebay_load_i8x4(w), 2);
}
"""
RUN = """
static int32_t exact(int64_t sum, int32_t multiplier, int32_t shift)
{
    const int64_t rounding = ((int64_t)1 << (shift - 1)) + (sum >= 0 ? 1 << 30 : -(1 << 30));
    const int64_t result = ((sum * multiplier + rounding) >> shift) - 128;
    return (int32_t)(result < -128 ? -128 : result > 127 ? 127 : result);
}

static int32_t limited(int64_t sum, int32_t m, int32_t shift, int32_t zero_point, int32_t most)
{
    const int64_t rounding = ((int64_t)1 << (shift - 1)) + (sum >= 0 ? 1 << 30 : -(1 << 30));
    const int64_t result = ((sum * m + rounding) >> shift) + zero_point;
    const int32_t least = most == 127 ? -128 : -most;
    return (int32_t)(result < least ? least : result > most ? most : result);
}

static int32_t twice_rounded(int64_t value, int32_t m, int32_t shift)
{
    const int64_t rounding = ((int64_t)1 << (shift - 1)) + (value >= 0 ? 1 << 30 : -(1 << 30));
    return (int32_t)((value * m + rounding) >> shift);
}

static uint32_t state = 1;

static uint32_t draw(void)
{
    state = (uint32_t)(state * UINT64_C(48271) % UINT64_C(2147483647));
    return state;
}

int main(void)
{
    for (int32_t shift = 32; shift <= 53; ++shift) {
        for (int32_t sum = 1 - (1 << 30); sum < (1 << 30) - 99991; sum += 99991) {
            const int32_t multiplier = (1 << 30) + sum / 2 + (1 << 29);
            if (scaled_limited(sum, multiplier, shift) != exact(sum, multiplier, shift) ||
                    scaled(sum, multiplier, shift) != limited(sum, multiplier, shift, 5, 127)) {
                return 3;
            }
        }
    }
    for (int32_t round = 0; round < 2000; ++round) {
        int32_t sums[8];
        int32_t m[8];
        int8_t s[8];
        int8_t x[8];
        int8_t w[8];
        int8_t out[8];
        int8_t out2[12];
        int8_t out3[8];
        int8_t out4[12];
        for (int32_t i = 0; i < 8; ++i) {
            sums[i] = (int32_t)(draw() % (1u << 31)) - (1 << 30) + 1;
            sums[i] = sums[i] >> (draw() % 28u);
            m[i] = (int32_t)(draw() % (1u << 30)) + (1 << 30);
            s[i] = (int8_t)(32 + draw() % 22u);
            x[i] = (int8_t)(draw() % 256u - 128u);
            w[i] = (int8_t)(draw() % 256u - 128u);
        }
        four(out, sums, m, s);
        wide(out2, sums, m, s);
        for (int32_t i = 0; i < 4; ++i) {
            if (out[i] != exact(sums[i], m[i], s[i]) || out2[i] != out[i]) {
                return 5;
            }
        }
        eight(out, sums, m, s);
        added(out3, x, w, m);
        positive(out4, sums, m, s);
        elements(out2, x, w, m[0], s[0]);
        for (int32_t i = 0; i < 4; ++i) {
            const int32_t large = (x[i] * w[i] - (w[i] + 5)) * 4096;
            const int32_t sum = x[i] + twice_rounded(large, m[0], s[0]);
            if (out2[i] != limited(sum, 1 << 30, 40, 5, 100) || out2[4 + i] != out2[i]) {
                return 9;
            }
        }
        wide(out2, sums, m, s);
        for (int32_t i = 0; i < 8; ++i) {
            const int32_t product = -1000 + (x[i] + 128) * w[i] - 77 * w[i];
            if (out[i] != limited(sums[i], m[i], s[i], 5, 100) || out2[4 + i] != out[i] ||
                    out3[i] != limited(product, m[i], 38, 0, 127) ||
                    out4[i] != exact(sums[i], m[i], s[i]) || (i < 4 && out4[8 + i] != out[i])) {
                return 6;
            }
        }
    }
    int8_t left[16];
    int8_t right[16];
    int32_t wanted = 5;
    for (int32_t i = 0; i < 16; ++i) {
        left[i] = (int8_t)(17 * i - 128);
        right[i] = (int8_t)(127 - 13 * i);
        wanted += left[i] * right[i] - 3 * right[i] + (i < 11 ? (left[i] + 128) * right[i] : 0);
    }
    if (many(5, left, right) != wanted) {
        return 4;
    }
    for (int32_t begin = 0; begin <= 16; ++begin) {
        for (int32_t end = -2; end <= 16; ++end) {
            int32_t filled = 0;
            for (int32_t i = 0; i < 16; ++i) {
                filled += (i >= begin && i < end ? left[i] : -9) * right[i];
            }
            if (some(left + 5, right, -5, begin, end) != filled) {
                return 7;
            }
        }
    }
    for (int32_t begin = 0; begin <= 4; ++begin) {
        for (int32_t end = -2; end <= 4; ++end) {
            int32_t inside = 0;
            for (int32_t i = begin; i < end; ++i) {
                inside += (left[i] + 9) * right[i];
            }
            if (few(left + 5, right, -5, begin, end) != inside) {
                return 8;
            }
        }
    }
    const int8_t x[5] = {-128, 127, 3, -4, 5};
    const int8_t w[5] = {127, -128, -6, 9, -8};
    const int32_t splat = -3 * (127 - 128 - 6 + 9);
    const int32_t dot = splat - 128 * 127 + 127 * -128 + 3 * -6 + -4 * 9;
    const int32_t moved = (127 - 300) * -128 + (3 - 300) * -6 + (-4 - 300) * 9 + (5 - 300) * -8;
    const int32_t lanes = (127 + 128) * -128 + 3 * -6;
    if (all(1000, x, w) != 1000 + dot + moved || one(-7, x, w) != lanes - 7) {
        return 1;
    }
    /* The sum wraps around. */
    return forebay_lane_i8x4(INT32_MAX, forebay_load_i8x4(x), 0, forebay_load_i8x4(x), 4 - 2) ==
            INT32_MIN + 8 ? 0 : 2;
}
"""


def test_a_header_is_included_for_each_of_its_functions() -> None:
    cpus = {
        "forebay_dsp.h": "cortex-m4",
        "forebay_mve.h": "cortex-m55",
        "forebay_avx2.h": "x86-64-v3",
        "forebay_avx2_elements.h": "x86-64-v3",
        "forebay_avx2_floats.h": "x86-64-v3",
        "forebay_avx512_floats.h": "x86-64-v4",
        "forebay_avx512.h": "cascadelake",
        "forebay_neon.h": "cortex-a76",
        "forebay_neon_elements.h": "cortex-a76",
    }
    for header, functions in INSTRUCTION_SET_HEADERS.items():
        cpu = cpus[header]
        text = instruction_set_header(header)
        for function in functions:
            headers = tuple(dict.fromkeys((VECTORS_OF.get(header, header), header)))
            assert instruction_set_headers([function, "memcpy"], cpu) == headers
            is_part = header == "forebay_neon.h" and function.endswith(NEON_WORDS)
            forms = 1 if function in WITHOUT_INSTRUCTIONS or is_part else 2
            assert text.count(f"{function}(") >= forms, "an instruction and a portable form"
    assert instruction_set_headers(["memcpy"], None) == ()
    assert instruction_set_headers(["forebay_dot_i8x4"], None) == ("forebay_dsp.h",)


def test_no_network_has_the_name_of_a_header() -> None:
    assert {header.removesuffix(".h") for header in INSTRUCTION_SET_HEADERS} <= HEADERS


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


@pytest.mark.parametrize("compiler", ["gcc", "clang"])
def test_the_portable_form_computes_the_sums(compiler: str, tmp_path: Path) -> None:
    write(tmp_path, PROGRAM + RUN)
    command = [require(compiler), *STRICT_C99, "vectors.c", "-o", "vectors"]
    subprocess.run(command, cwd=tmp_path, check=True)
    assert subprocess.run([tmp_path / "vectors"], check=False).returncode == 0


def test_a_cortex_m4_has_one_instruction_per_two_products(tmp_path: Path) -> None:
    write(tmp_path, PROGRAM)
    command = [require("arm-none-eabi-gcc"), *COMPILERS["arm-none-eabi-gcc"], "-std=c99", "-O2"]
    subprocess.run([*command, "-S", "vectors.c"], cwd=tmp_path, check=True)
    text = (tmp_path / "vectors.s").read_text()
    found = {name: text.count(f"\t{name} ") for name in ("smlad", "smlabb", "smlatt", "mla")}
    assert found == {"smlad": 8, "smlabb": 1, "smlatt": 1, "mla": 0}


def test_a_cortex_m55_adds_sixteen_products_at_once(tmp_path: Path) -> None:
    write(tmp_path, PROGRAM)
    flags = [*STRICT_C99, "-mcpu=cortex-m55", "-mfloat-abi=hard", "-mthumb", "-ffreestanding"]
    command = [require("arm-none-eabi-gcc"), *flags, "-O2", "-S", "vectors.c"]
    subprocess.run(command, cwd=tmp_path, check=True)
    text = (tmp_path / "vectors.s").read_text()
    assert (text.count("vmladava.s8"), text.count("vaddv.s8"), text.count("vctp.8")) == (4, 1, 1)
    assert (text.count("vldrbt"), text.count("vpsel")) == (4, 2)
    # Of four results, of eight, of the sums of eight products, and of four elements.
    assert text.count("vqrdmulh.s32") == text.count("vrshl.s32") == 1 + 2 + 2 + 3 + 3
    # Halves below zero are rounded up where a limit replaces what is below zero.
    assert text.count("vshr.s32") == 2 + 2 + 1 + 3
    # The number that all lanes have is in a register for integers.
    found = [line.split()[-1] for line in text.splitlines() if "vmul.i32" in line]
    assert [operand[0] for operand in found] == ["q", "r"]
    assert (text.count("vmullb.s16"), text.count("vmullt.s16")) == (2, 2)


@pytest.mark.parametrize("name", sorted(BOARDS))
def test_the_instructions_compute_the_sums(name: str, tmp_path: Path) -> None:
    write(tmp_path, PROGRAM + RUN)
    board = boards.load(name)
    if absent := missing(board):
        pytest.skip(f"no {absent[0].program}")
    flags = ["-O2", *BOARDS[name]]
    elf = build_application(board, [tmp_path / "vectors.c"], [], tmp_path / "out", flags=flags)
    assert run_application(board, elf) == 0


def write(directory: Path, program: str) -> None:
    (directory / "vectors.c").write_text(program)
    for header in INSTRUCTION_SET_HEADERS:
        (directory / header).write_text(instruction_set_header(header))
