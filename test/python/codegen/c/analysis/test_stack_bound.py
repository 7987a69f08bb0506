"""The stack bound of the header is above what compilers say that the functions take."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest
from common import networks
from common.models.gated_filter import MODEL, gated_filter
from common.oracles.frames import bound_of, calls_of, deepest, frames_of
from common.sweep import sweep
from common.toolchain import COMPILERS, require
from mlir import ir

from forebay.codegen.c.analysis.stack_bound import (
    BITS32,
    BITS64,
    StackBound,
    StackFrame,
    stack_bound,
)
from forebay.codegen.c.syntax.helpers import HELPERS, helpers_of
from forebay.codegen.project.api import source
from forebay.codegen.project.interface.runtime import runtime_header
from forebay.codegen.project.project import project_files
from forebay.network.model import ModelInfo, Port

ROOT = Path(__file__).parents[5]
DIGITS = ROOT / "examples" / "digits" / "digits_int8.tflite"
LSTM = ROOT / "test" / "zoo" / "lstm_int8.tflite"
"""Its kernels have local arrays."""
LEVELS = ("-O0", "-Os", "-O2", "-O3")
LOOSE = 2.25  # with what libraries take, which no compiler's figure has in it: 128 bytes and more
# What a reader of the C counts: functions with their parameters, and declarations in them.
FUNCTION = re.compile(
    r"^(?:static )?[\w ]+?[ *](\w+)\(([^;{}]*)\)\n\{\n(.*?)^\}", re.MULTILINE | re.DOTALL
)
VARIABLE = re.compile(
    r"\b(?:u?int(?:8|16|32|64)_t|float|double|bool|\w+_layout|\w+_status)"
    r" (?:const )?\*?(?:const )?(\w+)(?= =|;|\[)"
)
ARRAY = re.compile(r"\b(?:u?int(8|16|32|64)_t|float) \w+\[(\d+)\];")
COMMENT = re.compile(r"/\*.*?\*/", re.DOTALL)
FLOATS = """func.func @main(%x: memref<8xf64>, %y: memref<8xf64>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %zero = arith.constant 0.0 : f64
  %sum = scf.for %i = %c0 to %c8 step %c1 iter_args(%acc = %zero) -> (f64) {
    %v = memref.load %x[%i] : memref<8xf64>
    %s = arith.addf %acc, %v : f64
    scf.yield %s : f64
  }
  memref.copy %x, %y : memref<8xf64> to memref<8xf64>
  memref.store %sum, %y[%c0] : memref<8xf64>
  return
}"""


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return networks.compiled(DIGITS).write(tmp_path_factory.mktemp("digits") / "out")


def test_bound_is_that_of_the_deepest_chain_of_calls() -> None:
    frames = {
        "root": StackFrame(("pointer", "status"), frozenset({"leaf", "other"})),
        "leaf": StackFrame(("int32_t", "int64_t")),
        "other": StackFrame(("int8_t",)),
        "lonely": StackFrame(("float",)),
    }
    words = 4 * 2 + 4 + 8
    expected32 = 2 * BITS32.frame + words + BITS32.helper + BITS32.library
    expected64 = 2 * BITS64.frame + 8 * 4 + BITS64.helper + BITS64.library
    assert stack_bound(frames, calls_math=False) == StackBound(-(-expected32 // 8) * 8, expected64)


def test_numbers_with_a_point_and_their_functions_take_more() -> None:
    plain, pointed = ({"f": StackFrame((ctype,))} for ctype in ("int32_t", "float"))
    bound = stack_bound(plain, calls_math=False).bits32
    assert stack_bound(pointed, calls_math=False).bits32 == bound + BITS32.floats
    assert stack_bound(plain, calls_math=True).bits32 == bound - BITS32.library + BITS32.math


Counted = Callable[[ir.Module, ModelInfo], tuple[dict[str, StackFrame], str]]


@pytest.fixture
def counted(monkeypatch: pytest.MonkeyPatch) -> Counted:
    """The frames that the printer counts for a network, and the C."""

    def count(module: ir.Module, model: ModelInfo) -> tuple[dict[str, StackFrame], str]:
        found: dict[str, StackFrame] = {}

        def spy(frames: Mapping[str, StackFrame], *, calls_math: bool) -> StackBound:
            found.update(frames)
            return stack_bound(frames, calls_math=calls_math)

        monkeypatch.setattr(source, "stack_bound", spy)
        return found, project_files(module, model)[f"{model.name.replace(' ', '_')}.c"]

    return count


def read(text: str) -> dict[str, int]:
    """Parameters and variables of each function, as a reader counts them; arrays by 4 bytes."""
    found = FUNCTION.findall(COMMENT.sub("", text))
    return {
        name: head.count(",") + 1 + len(VARIABLE.findall(body)) + more_of_arrays(body)
        for name, head, body in found
    }


def more_of_arrays(body: str) -> int:
    """What arrays take beside the first 4 bytes of each."""
    sizes = [int(bits or 32) * int(count) for bits, count in ARRAY.findall(body)]
    return sum(-(-size // 32) - 1 for size in sizes)


def test_what_the_printer_counts_is_what_a_reader_of_the_c_counts(
    context: ir.Context, counted: Counted
) -> None:
    floats = ir.Module.parse(FLOATS)
    ports = [Port(name, "float64", (8,)) for name in "xy"]
    kernel = ModelInfo("kernel", (ports[0],), (ports[1],), (), "00" * 32)
    for module, model in ((gated_filter(), MODEL), (floats, kernel)):
        frames, text = counted(module, model)
        own = {name: slots for name, slots in read(text).items() if name in frames}
        assert {name: len(frames[name].slots) for name in own} == own
        assert {"run_network", f"{model.name.replace(' ', '_')}_run"} <= set(own)


@pytest.mark.parametrize(("path", "least"), [(DIGITS, 15), (LSTM, 9)])
def test_whole_networks_are_counted_right(counted: Counted, path: Path, least: int) -> None:
    compiled = networks.compiled(path)
    module = compiled._module  # pyright: ignore[reportPrivateUsage]
    with module.context:
        frames, text = counted(module, compiled.info)
    own = {name: slots for name, slots in read(text).items() if name in frames}
    assert {name: len(frames[name].slots) for name in own} == own
    assert len(own) >= least
    assert bool(ARRAY.search(text)) == (path == LSTM)
    assert "double" not in {slot for frame in frames.values() for slot in frame.slots}


@pytest.mark.parametrize("compiler", COMPILERS)
def test_helpers_stay_below_theirs(compiler: str, tmp_path: Path) -> None:
    """None of them calls another, so one frame is enough for all."""
    machine = BITS64 if compiler in ("gcc", "clang") else BITS32
    own = {name for name in HELPERS if "_f" not in name and not name.endswith(("f32", "f64"))}
    text = f"#include <string.h>\n{runtime_header()}\n" + "\n".join(
        helper.text.replace("static inline ", "") for helper in helpers_of(frozenset(own))
    )
    (tmp_path / "net.c").write_text(text)
    (tmp_path / "scratch").mkdir()
    frames = frames_of(tmp_path, require(compiler), "-O0", tmp_path / "scratch")
    assert len(frames) == len(own) > 20
    assert max(frames.values()) <= machine.helper


@pytest.mark.parametrize("level", sweep(LEVELS))
@pytest.mark.parametrize("compiler", COMPILERS)
def test_compilers_stay_below_it(project: Path, tmp_path: Path, compiler: str, level: str) -> None:
    frames = frames_of(project, require(compiler), level, tmp_path)
    require("gcc")
    taken, bound = deepest(frames, calls_of(project, tmp_path)), bound_of(project, compiler)
    print(f"{compiler} {level}: {taken} of {bound}, {bound / taken:.2f}")
    library = (BITS64 if compiler in ("gcc", "clang") else BITS32).library
    assert "digits_int8_run" in frames
    assert 0 < taken <= bound - library


@pytest.mark.parametrize("compiler", ["arm-none-eabi-gcc", "riscv64-unknown-elf-gcc"])
def test_the_bound_is_not_loose_on_microcontrollers(
    project: Path, tmp_path: Path, compiler: str
) -> None:
    require("gcc")
    calls = calls_of(project, tmp_path)
    taken = deepest(frames_of(project, require(compiler), "-O0", tmp_path), calls)
    assert bound_of(project, compiler) < LOOSE * taken


@pytest.mark.parametrize("compiler", COMPILERS)
def test_the_preprocessor_chooses_by_the_size_of_pointers(project: Path, compiler: str) -> None:
    command = [require(compiler), *COMPILERS[compiler], "-E", "-P", f"-I{project}", "-"]
    text = '#include "digits_int8.h"\nDIGITS_INT8_STACK_BOUND\n'
    done = subprocess.run(command, input=text, capture_output=True, text=True, check=True)
    assert int(done.stdout.split()[-1]) == bound_of(project, compiler)
