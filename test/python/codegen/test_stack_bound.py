"""The stack bound of the header is above what compilers say that the functions take."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

import forebay
from forebay.codegen.stack_bound import FRAME, LIBRARY, SLOT, functions_in, stack_bound

DIGITS = Path(__file__).parents[3] / "examples" / "digits" / "digits_int8.tflite"
HEADERS = Path(forebay.__file__).parent / "mcu" / "runtime"  # string.h without a C library
COMPILERS = {
    "gcc": [],
    "clang": [],
    "arm-none-eabi-gcc": ["-mcpu=cortex-m4", "-mthumb", "-ffreestanding", f"-I{HEADERS}"],
    "riscv64-unknown-elf-gcc": ["-march=rv32imac", "-mabi=ilp32", "-ffreestanding", f"-I{HEADERS}"],
}
CODE = """
static inline int32_t half(int32_t a)
{
    return a / 2;
}

/* 0 ADD sum */
static void add_0(const uint8_t *workspace, int8_t *out,
        int8_t *other)
{
    const int8_t *in = (const int8_t *)workspace; /* [4] int32_t not = a; variable */
    for (int32_t i = 0; i < 4; ++i) {
        const int32_t sum = in[i] + half(i);
        out[i] = (int8_t)sum;
    }
}

net_status net_run(const net_pools *pools)
{
    const net_status status = check(pools);
    add_0(pools->workspace, 0, 0);
    return status;
}
"""


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return forebay.compile(DIGITS).write(tmp_path_factory.mktemp("digits") / "out")


def test_parameters_and_variables_are_slots() -> None:
    found = functions_in(CODE)
    assert {name: function.slots for name, function in found.items()} == {
        "half": 1,
        "add_0": 3 + 3,
        "net_run": 1 + 1,
    }
    assert "half" in found["add_0"].calls


def test_bound_is_that_of_the_deepest_chain_of_calls() -> None:
    assert stack_bound([CODE]) == 3 * FRAME + SLOT * (2 + 6 + 1) + LIBRARY


def test_functions_of_one_file_are_called_in_another() -> None:
    first = "void leaf(int32_t a)\n{\n    int32_t b = a;\n}\n"
    second = "void root(void)\n{\n    leaf(1);\n}\n"
    assert stack_bound([first, second]) == stack_bound([second, first])
    assert stack_bound([first, second]) == 2 * FRAME + SLOT * (2 + 1) + LIBRARY


@pytest.mark.parametrize("level", ["-O0", "-Os", "-O2", "-O3"])
@pytest.mark.parametrize("compiler", COMPILERS)
def test_compilers_stay_below_it(project: Path, tmp_path: Path, compiler: str, level: str) -> None:
    """Their frames, summed along the calls as the C has them, whoever was inlined into whom."""
    if shutil.which(compiler) is None:
        pytest.skip(f"{compiler} is not installed")
    source = project / "digits_int8.c"
    flags = [*COMPILERS[compiler], level, "-std=c99", "-fstack-usage", f"-I{project}"]
    command = [compiler, *flags, "-c", str(source), "-o", str(tmp_path / "net.o")]
    subprocess.run(command, cwd=tmp_path, check=True)
    rows = [line.split("\t") for path in tmp_path.glob("*.su") for line in path.open()]
    assert {kind.strip() for _, _, kind in rows} <= {"static", "dynamic,bounded"}
    frames = {place.split(":")[-1]: int(size) for place, size, _ in rows}
    functions = functions_in(source.read_text())

    def depth(name: str) -> int:
        below = [depth(call) for call in functions[name].calls if call in functions]
        return frames.get(name, 0) + max(below, default=0)

    bound = next(
        int(line.split()[-1])
        for line in (project / "digits_int8.h").read_text().splitlines()
        if "STACK_BOUND" in line
    )
    assert "digits_int8_run" in frames
    assert 0 < max(map(depth, functions)) <= bound - LIBRARY
