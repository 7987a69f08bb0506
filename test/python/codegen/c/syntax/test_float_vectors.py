"""The headers for vectors of floats: clean under compilers; both forms have NumPy's bits."""

from __future__ import annotations

import subprocess
from pathlib import Path

import numpy as np
import pytest
from common.toolchain import COMPILERS, SANITIZERS, STRICT_C99, require

from forebay.codegen.c.syntax.instruction_sets import INSTRUCTION_SET_HEADERS
from forebay.codegen.project.interface.runtime import instruction_set_header

HEADERS = {"forebay_avx2_floats.h": 8, "forebay_avx512_floats.h": 16}
FEATURES = {"forebay_avx2_floats.h": "avx2", "forebay_avx512_floats.h": "avx512f"}
MARCH = {
    "forebay_avx2_floats.h": "-march=x86-64-v3",
    "forebay_avx512_floats.h": "-march=x86-64-v4",
}
EDGES = np.array(
    [0.0, -0.0, 1.0, -2.5, 1e-45, -1e-40, 3e38, np.inf, -np.inf, np.nan, 0.1, 7.0], np.float32
)
PROGRAM = """
#include "HEADER"

void compute(const float *a, const float *b, float *out);

void compute(const float *a, const float *b, float *out)
{
    const forebay_VECTOR x = forebay_load_VECTOR(a);
    const forebay_VECTOR y = forebay_load_VECTOR(b);
    const forebay_VECTOR one = forebay_splat_VECTOR(b[0]);
    forebay_store_VECTOR(out, forebay_add_VECTOR(x, y));
    forebay_store_VECTOR(out + LANES, forebay_add_VECTOR(y, forebay_multiply_VECTOR(x, y)));
    forebay_store_VECTOR(out + 2 * LANES, forebay_at_least_VECTOR(x, one));
    forebay_store_VECTOR(out + 3 * LANES, forebay_at_most_VECTOR(x, one));
}
"""
RUN = """
#include <stdio.h>

int main(void)
{
    float a[LANES];
    float b[LANES];
    float out[4 * LANES];
    while (fread(a, sizeof a, 1, stdin) == 1 && fread(b, sizeof b, 1, stdin) == 1) {
        compute(a, b, out);
        if (fwrite(out, sizeof out, 1, stdout) != 1) {
            return 1;
        }
    }
    return 0;
}
"""


def write(folder: Path, header: str, program: str) -> None:
    lanes = HEADERS[header]
    text = program.replace("HEADER", header).replace("VECTOR", f"f32x{lanes}")
    (folder / "vectors.c").write_text(text.replace("LANES", str(lanes)))
    (folder / header).write_text(instruction_set_header(header))


@pytest.mark.parametrize("header", HEADERS)
def test_each_function_of_a_header_is_called(header: str) -> None:
    program = PROGRAM.replace("VECTOR", f"f32x{HEADERS[header]}")
    assert all(f"{own}(" in program for own in INSTRUCTION_SET_HEADERS[header])


@pytest.mark.parametrize("header", HEADERS)
@pytest.mark.parametrize("language", ["c99", "c++17"])
@pytest.mark.parametrize("compiler", COMPILERS)
def test_no_compiler_has_anything_to_say(
    compiler: str, language: str, header: str, tmp_path: Path
) -> None:
    write(tmp_path, header, PROGRAM)
    own = [*COMPILERS[compiler], *STRICT_C99[1:], f"-std={language}", "-O2"]
    kind = ["-x", "c++"] if language == "c++17" else []
    command = [require(compiler), *own, *kind, "-c", "vectors.c", "-o", "vectors.o"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.parametrize("header", HEADERS)
@pytest.mark.parametrize("has_instructions", [False, True])
@pytest.mark.parametrize("compiler", ["gcc", "clang"])
def test_both_forms_round_each_operation(
    compiler: str, header: str, tmp_path: Path, *, has_instructions: bool
) -> None:
    lanes, cpu = HEADERS[header], Path("/proc/cpuinfo")
    if has_instructions and FEATURES[header] not in cpu.read_text().split():
        pytest.skip(f"this processor has no {FEATURES[header]}")
    write(tmp_path, header, PROGRAM + RUN)
    flags = [MARCH[header]] if has_instructions else [*SANITIZERS]
    own = [*STRICT_C99, "-O2", "-ffp-contract=off", *flags]
    command = [require(compiler), *own, "vectors.c", "-o", "vectors"]
    subprocess.run(command, cwd=tmp_path, check=True)
    rng = np.random.default_rng(0)
    operands = rng.standard_normal((200, 2, lanes)).astype(np.float32)
    operands[::2] = rng.choice(EDGES, operands[::2].shape)
    operands[: len(EDGES), 1, 0] = EDGES
    operands[np.isnan(operands[:, 1, 0]), 1, 0] = 1.0
    done = subprocess.run(
        [tmp_path / "vectors"], input=operands.tobytes(), stdout=subprocess.PIPE, check=True
    )
    found = np.frombuffer(done.stdout, np.float32).reshape(200, 4, lanes)
    a, b = operands[:, 0], operands[:, 1]
    one = b[:, :1]
    with np.errstate(all="ignore"):
        limited = (np.where(a <= one, one, a), np.where(a >= one, one, a))
        expected = np.stack([a + b, b + a * b, *limited], axis=1)
    np.testing.assert_array_equal(np.isnan(found), np.isnan(expected))
    numbers = ~np.isnan(expected)
    np.testing.assert_array_equal(found[numbers].view("u4"), expected[numbers].view("u4"))
