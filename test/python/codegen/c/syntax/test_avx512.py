"""The header for AVX-512: clean under compilers; its forms compute what NumPy computes."""

from __future__ import annotations

import subprocess
from pathlib import Path

import numpy as np
import pytest
from common.oracles.numpy_kernels import apply_scale
from common.toolchain import COMPILERS, SANITIZERS, STRICT_C99, require

from forebay.codegen.c.syntax.instruction_sets import INSTRUCTION_SET_HEADERS
from forebay.codegen.project.interface.runtime import instruction_set_header

INSTRUCTIONS = ("avx512f", "avx512bw", "avx512vl", "avx512_vnni")
MARCH = "-march=cascadelake"
OFFSETS = (128, 0, -3, 255, 32640, -32640)
LIMITS = ((-128, -128, 127), (5, -128, 127), (-3, -100, 90), (127, -128, 127))
"""Zero points and limits of the results of 8 bits."""
PROGRAM = """
#include "forebay_avx512.h"

typedef struct {
  int32_t sums[16];
  int32_t values[16];
  int32_t multiplier[16];
  int32_t wide[16];
  int8_t shift[16];
  int8_t wide_shift[16];
  int8_t x[16];
  int8_t w[64];
} operands;

typedef struct {
  int32_t each16[16];
  int32_t each8[8];
  int32_t added[16];
  int32_t splat[16];
} totals;

typedef struct {
  int8_t rescaled[16];
  int8_t scaled[16];
} results;

/* The parameters of functions are constants in generated code. */
#define ADD(offset) \\
  do { \\
    const forebay_i32x16 each16 = \\
        forebay_dot_each_i32x16(forebay_load_i32x16(in->sums), forebay_load_i8x4(in->x), \\
                                (offset), forebay_load_i8x64(in->w)); \\
    const forebay_i32x8 each8 = \\
        forebay_dot_each_i32x8(forebay_load_i32x8(in->sums), forebay_load_i8x4(in->x), (offset), \\
                               forebay_load_i8x32(in->w)); \\
    const forebay_i32x16 added = \\
        forebay_multiply_add_i32x16(forebay_load_i32x16(in->sums), forebay_extend_i16x16(in->x), \\
                                    (offset), forebay_extend_i16x16(in->w)); \\
    const forebay_i32x16 splat = \\
        forebay_multiply_add_i32x16(forebay_splat_i32x16(in->sums[0]), \\
                                    forebay_splat_i16x16(in->x[0]), (offset), \\
                                    forebay_extend_i16x16(in->w)); \\
    (void)memcpy(out->each16, &each16, sizeof out->each16); \\
    (void)memcpy(out->each8, &each8, sizeof out->each8); \\
    (void)memcpy(out->added, &added, sizeof out->added); \\
    (void)memcpy(out->splat, &splat, sizeof out->splat); \\
    ++out; \\
  } while (0)

#define STORE(zero_point, low, high) \\
  do { \\
    forebay_store_rescaled_i32x16(out->rescaled, forebay_load_i32x16(in->values), \\
                                  forebay_load_i32x16(in->multiplier), \\
                                  forebay_extend_i32x16(in->shift), (zero_point), (low), (high)); \\
    forebay_store_scaled_i32x16(out->scaled, forebay_load_i32x16(in->wide), \\
                                forebay_load_i32x16(in->multiplier), \\
                                forebay_extend_i32x16(in->wide_shift), (zero_point), (low), \\
                                (high)); \\
    ++out; \\
  } while (0)

void add(totals *out, const operands *in);
void store(results *out, const operands *in);
"""
RUN = """
#include <stdio.h>

int main(void) {
  static operands in;
  static totals sums[OFFSETS];
  static results stored[LIMITS];
  while (fread(&in, sizeof in, 1, stdin) == 1) {
    add(sums, &in);
    store(stored, &in);
    if (fwrite(sums, sizeof sums, 1, stdout) + fwrite(stored, sizeof stored, 1, stdout) != 2) {
      return 1;
    }
  }
  return 0;
}
"""
OPERANDS = np.dtype(
    [
        ("sums", "<i4", 16),
        ("values", "<i4", 16),
        ("multiplier", "<i4", 16),
        ("wide", "<i4", 16),
        ("shift", "i1", 16),
        ("wide_shift", "i1", 16),
        ("x", "i1", 16),
        ("w", "i1", 64),
    ]
)
TOTALS = np.dtype(
    [("each16", "<i4", 16), ("each8", "<i4", 8), ("added", "<i4", 16), ("splat", "<i4", 16)]
)
RESULTS = np.dtype([("rescaled", "i1", 16), ("scaled", "i1", 16)])
OUTPUT = np.dtype([("totals", TOTALS, len(OFFSETS)), ("results", RESULTS, len(LIMITS))])


def source() -> str:
    added = "".join(f"  ADD({offset});\n" for offset in OFFSETS)
    stored = "".join(f"  STORE({zero_point}, {low}, {high});\n" for zero_point, low, high in LIMITS)
    return (
        f"{PROGRAM}\nvoid add(totals *out, const operands *in) {{\n{added}}}\n"
        f"\nvoid store(results *out, const operands *in) {{\n{stored}}}\n"
    )


def drawn(rng: np.random.Generator) -> np.ndarray:
    """Operands of random values of each type, and all combinations of the extreme ones."""
    found = np.zeros(500, OPERANDS)
    extremes = np.array(np.meshgrid([-(2**31), 2**31 - 1], [-128, 127], [-128, 127])).reshape(3, -1)
    for name, low, high in (
        ("sums", -(2**31), 2**31),
        ("multiplier", 2**30, 2**31),
        ("shift", 32, 54),
        ("x", -128, 128),
        ("w", -128, 128),
    ):
        found[name] = rng.integers(low, high, found[name].shape)
    values = rng.integers(1 - 2**30, 2**30, found["values"].shape)
    found["values"] = values >> rng.integers(0, 28, values.shape)
    # All shifts, and values of which the results have 32 bits; many results are small.
    shifts = rng.integers(2, 63, values.shape)
    wide = rng.integers(-(2**31), 2**31, values.shape) >> np.maximum(0, 32 - shifts)
    found["wide"] = wide >> (rng.integers(0, 2, values.shape) * np.clip(55 - shifts, 0, 28))
    found["wide_shift"] = shifts
    for row, (sums, x, w) in zip(found, extremes.T, strict=False):
        row["sums"], row["x"], row["w"] = sums, x, w
        row["values"][:4] = 1 - 2**30, 2**30 - 1, -1, 1
        row["wide"][:6] = -(2**31), 2**31 - 1, -1, 1, -(2**30), 2**30 - 1
        row["wide_shift"][:6] = 32, 32, 31, 31, 30, 30
        row["multiplier"][:4], row["shift"][:4] = 2**31 - 1, 32
        row["multiplier"][4:6] = 2**30
    return found


def expected(operands: np.ndarray) -> np.ndarray:
    found = np.zeros(len(operands), OUTPUT)
    sums, x, w = (operands[name].astype(np.int64) for name in ("sums", "x", "w"))
    for n, offset in enumerate(OFFSETS):
        totals = found["totals"][:, n]
        moved = x + offset
        words = w.reshape(-1, 16, 4)
        each = sums + sum(moved[:, k, None] * words[:, :, k] for k in range(4))
        totals["each16"], totals["each8"] = wrapped(each), wrapped(each[:, :8])
        totals["added"] = wrapped(sums + moved * w[:, :16])
        totals["splat"] = wrapped(sums[:, :1] + moved[:, :1] * w[:, :16])
    for name, *fields in (
        ("rescaled", "values", "multiplier", "shift"),
        ("scaled", "wide", "multiplier", "wide_shift"),
    ):
        rows = (operands[field].ravel().tolist() for field in fields)
        exact = [apply_scale(*own, double=True) for own in zip(*rows, strict=True)]
        for n, (zero_point, low, high) in enumerate(LIMITS):
            found["results"][:, n][name] = np.clip(
                np.reshape(exact, (-1, 16)) + zero_point, low, high
            )
    return found


def wrapped(sums: np.ndarray) -> np.ndarray:
    return ((sums + 2**31) % 2**32 - 2**31).astype(np.int32)


def test_each_function_of_the_header_is_called() -> None:
    for function in INSTRUCTION_SET_HEADERS["forebay_avx512.h"]:
        assert f"{function}(" in PROGRAM


@pytest.mark.parametrize(
    ("compiler", "language", "flags"),
    [
        *((compiler, language, []) for compiler in COMPILERS for language in ("c99", "c++17")),
        ("clang", "c++17", [MARCH]),
        # In C++, gcc 12 warns of a variable of its own header.
        *((compiler, "c99", [MARCH]) for compiler in ("gcc", "clang")),
    ],
)
def test_no_compiler_has_anything_to_say(
    compiler: str, language: str, flags: list[str], tmp_path: Path
) -> None:
    write(tmp_path, source())
    own = [*COMPILERS[compiler], *STRICT_C99[1:], *flags, f"-std={language}", "-O2"]
    kind = ["-x", "c++"] if language == "c++17" else []
    if kind and COMPILERS[compiler]:
        kind += ["-Drestrict=__restrict"]
    command = [require(compiler), *own, *kind, "-c", "vectors.c", "-o", "vectors.o"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.parametrize(
    "flags",
    [
        [],
        ["-DFOREBAY_AVX512=0", "-DFOREBAY_AVX2=0", *SANITIZERS],
        [MARCH],
        [MARCH, *SANITIZERS],
        [MARCH, "-DFOREBAY_AVX512=0"],
        [MARCH, "-DFOREBAY_AVX512=0", "-DFOREBAY_AVX2=0"],
        [MARCH, "-DFOREBAY_VNNI=0"],
    ],
    ids=" ".join,
)
@pytest.mark.parametrize("compiler", ["gcc", "clang"])
def test_all_forms_compute_the_results(compiler: str, flags: list[str], tmp_path: Path) -> None:
    cpu = Path("/proc/cpuinfo")
    known = cpu.read_text().split() if cpu.exists() else []
    if MARCH in flags and not set(INSTRUCTIONS) <= set(known):
        pytest.skip("this processor has no AVX-512 VNNI")
    write(tmp_path, source() + RUN)
    counts = [f"-DOFFSETS={len(OFFSETS)}", f"-DLIMITS={len(LIMITS)}"]
    command = [require(compiler), *STRICT_C99, "-O2", *flags, *counts, "vectors.c", "-o", "vectors"]
    subprocess.run(command, cwd=tmp_path, check=True)
    operands = drawn(np.random.default_rng(0))
    done = subprocess.run(
        [tmp_path / "vectors"], input=operands.tobytes(), stdout=subprocess.PIPE, check=True
    )
    found, wanted = np.frombuffer(done.stdout, OUTPUT), expected(operands)
    for group, own in (("totals", TOTALS), ("results", RESULTS)):
        for name in own.fields or ():
            np.testing.assert_array_equal(found[group][name], wanted[group][name], name)


def test_the_sums_of_sixteen_words_are_one_instruction(tmp_path: Path) -> None:
    write(tmp_path, source())
    command = [require("gcc"), *STRICT_C99, "-O2", MARCH, "-S", "vectors.c"]
    subprocess.run(command, cwd=tmp_path, check=True)
    lines = (tmp_path / "vectors.s").read_text().splitlines()
    dots = [line for line in lines if "vpdpbusd" in line]
    # One for each offset, and one for the sums of the second factors if the offset is not 128.
    assert sum("zmm" in line for line in dots) == 2 * len(OFFSETS) - 1
    assert sum("ymm" in line for line in dots) == 2 * len(OFFSETS) - 1
    # Two for each offset with which no factor is negative.
    assert sum("vpdpwssd" in line for line in lines) == 2 * sum(own >= 128 for own in OFFSETS)


def write(directory: Path, program: str) -> None:
    (directory / "vectors.c").write_text(program)
    for name in ("forebay_avx2.h", "forebay_avx512.h"):
        (directory / name).write_text(instruction_set_header(name))
