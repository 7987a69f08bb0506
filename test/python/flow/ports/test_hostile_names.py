"""Names that are no C identifiers, that C or generated code uses, or that are unreadable."""

from __future__ import annotations

import subprocess
from pathlib import Path
from typing import Literal

import numpy as np
import pytest
from common.sweep import sweep
from common.tflite_reference import micro
from common.toolchain import require

import forebay
from forebay.network.names import ENTRY_POINT_NAMES, RESERVED

from .graphs import drawn, named, written

FLAGS = ("-O0", "-Wall", "-Wextra", "-Wshadow", "-pedantic", "-Werror")
NO_IDENTIFIERS = [
    "",
    " ",
    "_",
    "__x",
    "2nd",
    "a b",
    "a/b:0",
    "a-b",
    "a.b",
    '"',
    "'",
    "\\",
    "*/ int x; /*",
    "??/",
    "// \\",
    "%s%n",
    "a\nb",
    "a\rb",
    "a\x00b",
    "\x1b[31m",
    "{0}",
    "$x",
    "serving_default_x:0",
    "serving_default_",
    "x" * 40,
    "x" * 41,
    "x" * 5000,
]
NOT_ASCII = ["größe", "入力", "入力2", "\u202eabc", "é" * 300, "\ufeff", "🙂"]
IN_CASES = ["y", "Y", "conv", "CONV", "Conv"]
OF_THE_C_LIBRARY = [
    *("printf", "puts", "memcpy", "memset", "exit", "stdin", "stdout", "errno", "remove", "write"),
    *("read", "mmap", "signal", "time", "uint_fast16_t", "intmax_t", "size_t", "NULL", "EOF"),
]
OF_GENERATED_C = [
    *("workspace", "workspace_size", "own_workspace", "weights", "net", "net_run", "net_h"),
    *("got", "expected", "step", "step0_arg0", "got_arg0", "compare_arg0", "i", "mismatches"),
    *("run_step0", "logistic_0", "output", "forebay", "plan_hash", "ok", "stack", "error_null"),
    *("file", "allow_pickle", "self", "engine", "progress"),
]
NAMES = [
    *(*NO_IDENTIFIERS, *NOT_ASCII, *IN_CASES, *OF_THE_C_LIBRARY, *OF_GENERATED_C),
    *(*ENTRY_POINT_NAMES, *sorted(RESERVED)),
]


@pytest.mark.parametrize("side", sweep(["inputs", "outputs"]))
@pytest.mark.parametrize("io", sweep(["caller", "pool"]))
def test_c_is_c_whatever_ports_are_called(
    io: Literal["caller", "pool"], side: str, tmp_path: Path
) -> None:
    graph = named(NAMES, ["y"]) if side == "inputs" else named(["x"], NAMES)
    path = written(graph, tmp_path)
    compiled = forebay.compile(path, io=io)
    values = drawn(graph)
    expected = micro(path.read_bytes(), values)
    result = compiled.run(*values, engine="emulator")
    for one, other in zip(
        result if isinstance(result, tuple) else (result,), expected, strict=True
    ):
        np.testing.assert_array_equal(one, other)
    project = compiled.write(tmp_path / "out")
    sources = sorted(file.name for file in project.glob("*.c"))
    for command in (("gcc", "-std=c99"), ("g++", "-std=c++17", "-x", "c++")):
        build = [require(command[0]), *command[1:], *FLAGS, *sources, "-lm", "-o", "selftest"]
        done = subprocess.run(build, cwd=project, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr[:2000]
        ran = subprocess.run(["./selftest"], cwd=project, capture_output=True, check=False)
        assert (ran.returncode, ran.stdout) == (0, b"net: all outputs are as expected\n")
