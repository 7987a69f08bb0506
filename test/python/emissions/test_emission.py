"""Emissions: files of a program, and what is refused."""

from collections.abc import Callable

import pytest
from mlir import ir

from forebay.emissions import (
    CompiledProgram,
    Emission,
    EmittedFiles,
    TargetEmissionError,
    emission_of,
)
from forebay.errors import Error
from forebay.network.model import ModelInfo


@pytest.fixture
def program() -> CompiledProgram:
    info = ModelInfo("net", (), (), (), "00")
    with ir.Context(), ir.Location.unknown():
        return CompiledProgram("net", {"net.c": "int x;\n"}, info, ir.Module.create())


def test_an_emission_sees_the_project_and_returns_files(program: CompiledProgram) -> None:
    both = Emission("both", lambda program: {**program.project, "image/0.bin": b"\x01"})
    assert both.files_of(program) == {"net.c": "int x;\n", "image/0.bin": b"\x01"}


@pytest.mark.parametrize("path", ["/tmp/x", "../x", "a/../../x", "", "."])
def test_paths_outside_of_the_directory_are_refused(program: CompiledProgram, path: str) -> None:
    with pytest.raises(TargetEmissionError, match=r"a path is relative, without '\.\.'"):
        Emission("bad", lambda _: {path: ""}).files_of(program)


def test_an_emission_without_files_is_refused(program: CompiledProgram) -> None:
    with pytest.raises(TargetEmissionError, match="emission 'none' returns no files"):
        Emission("none", lambda _: {}).files_of(program)


def _divides(program: CompiledProgram) -> EmittedFiles:
    return {"x": str(len(program.prefix) / 0)}


def _refuses(program: CompiledProgram) -> EmittedFiles:
    raise Error(f"'{program.prefix}' is too large")


@pytest.mark.parametrize(
    ("write", "message"),
    [
        (_divides, r"test_emission\.py:\d+: emission 'e' failed: ZeroDivisionError: division"),
        (_refuses, "^'net' is too large$"),
    ],
)
def test_failures_name_the_line_of_the_target(
    program: CompiledProgram, write: Callable[[CompiledProgram], EmittedFiles], message: str
) -> None:
    with pytest.raises(Error, match=message):
        Emission("e", write).files_of(program)


def test_an_unknown_name_lists_the_known_ones() -> None:
    known = (Emission("words", lambda _: {}), Emission("image", lambda _: {}))
    assert emission_of("npu", known, "image") is known[1]
    with pytest.raises(
        TargetEmissionError, match="target 'npu' has no emission 'c'; it has words, image"
    ):
        emission_of("npu", known, "c")
