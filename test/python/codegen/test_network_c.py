"""The C of whole networks: no warning, no undefined behaviour, and a self-test that can fail."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import numpy as np
import pytest
from common import networks
from common.models.goldens import samples
from common.oracles.frames import bound_of, calls_of, deepest, frames_of, sources
from common.sweep import sweep
from common.toolchain import COMPILERS, SANITIZERS, require, require_sanitizers
from msgspec import structs

from forebay.network.model import GoldenStep

ROOT = Path(__file__).parents[3]
SHARED = Path(os.environ.get("FOREBAY_SHARED", ROOT.parent / "shared")) / "models"
NETWORKS = (
    "digits_int8",
    "resnet8_int8",
    "resnet8_float",
    "kws_dscnn_int8",
    "ad01_int8",
    "person_detect_int8",
    "micro_speech_int8",
    "hello_world_int8",
    "mobilenetv2_tf2_int8",
    "mcunet_vww_int8",
    "mww_vad_int8",
)
_FIRST, *_OTHERS = NETWORKS
SANITIZED = [
    (_FIRST, "gcc"),
    pytest.param(_FIRST, "clang", marks=pytest.mark.slow),
    *(
        pytest.param(name, ("gcc", "clang")[number % 2], marks=pytest.mark.slow)
        for number, name in enumerate(_OTHERS)
    ),
]
"""Networks, and a compiler whose sanitizers watch their self-test."""
WARNINGS = ["-Wall", "-Wextra", "-Wconversion", "-Wcast-qual", "-Wshadow", "-pedantic", "-Werror"]
# A fused multiply-add rounds once where the reference rounds twice.
FLOAT = ["-ffp-contract=off"]


@pytest.fixture(scope="module", params=sweep(NETWORKS))
def project(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The C project of a network, with goldens of TFLite Micro in its self-test."""
    model = _model(request.param)
    if not model.exists():
        pytest.skip(f"{model} is not there; FOREBAY_SHARED names the folder above models/")
    return _write(model, _golden(request.param), tmp_path_factory.mktemp("project"))


@pytest.mark.parametrize("compiler", COMPILERS)
def test_compilers_have_nothing_to_say(project: Path, tmp_path: Path, compiler: str) -> None:
    """As C99 with what only an optimiser sees; as C11 and C++17 by the front end alone."""
    code = sources(project)
    if compiler.startswith("riscv") and any("<math.h>" in path.read_text() for path in code):
        pytest.skip(f"{compiler} comes without a C library's math.h")
    for options in (
        ["-std=c99", "-O2", "-c"],
        ["-std=c11", "-fsyntax-only"],
        ["-x", "c++", "-std=c++17", "-Drestrict=__restrict", "-fsyntax-only"],
    ):
        command = [require(compiler), *COMPILERS[compiler], *WARNINGS, *options, *map(str, code)]
        done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
        assert (done.returncode, done.stderr) == (0, ""), options


@pytest.mark.parametrize(("project", "compiler"), SANITIZED, indirect=["project"])
def test_selftest_passes_under_sanitizers(project: Path, tmp_path: Path, compiler: str) -> None:
    # gcc's sanitizers make it warn of what it inserted itself; clang's do not
    warnings = WARNINGS if compiler == "clang" else []
    flags = ["-std=c99", "-O1", *warnings, *SANITIZERS]
    done = _run(_build(require_sanitizers(compiler), flags, project, tmp_path / "selftest"))
    assert (done.returncode, done.stderr) == (0, ""), done.stdout + done.stderr


@pytest.mark.parametrize("compiler", COMPILERS)
def test_stack_stays_below_its_bound(project: Path, tmp_path: Path, compiler: str) -> None:
    require("gcc")
    if compiler.startswith("riscv") and any("<math.h>" in p.read_text() for p in sources(project)):
        pytest.skip(f"{compiler} comes without a C library's math.h")
    calls, bound = calls_of(project, tmp_path), bound_of(project, compiler)
    for level in ("-O0", "-O2"):
        taken = deepest(frames_of(project, require(compiler), level, tmp_path), calls)
        print(f"{project.name} {compiler} {level}: {taken} of {bound}, {bound / taken:.2f}")
        assert taken < bound


def test_selftest_refuses_one_wrong_bit(tmp_path: Path) -> None:
    (step, *_) = _golden("digits_int8")
    wrong = step.outputs[0].copy()
    wrong[0, 3] ^= 1
    golden = [structs.replace(step, outputs=(wrong,))]
    project = _write(_model("digits_int8"), golden, tmp_path / "project")
    done = _run(_build("gcc", ["-std=c99"], project, tmp_path / "selftest"))
    assert done.returncode == 1
    assert "output scores: element 3" in done.stdout


def _model(name: str) -> Path:
    if name == "digits_int8":
        return ROOT / "examples" / "digits" / "digits_int8.tflite"
    return SHARED / f"{name}.tflite"


def _golden(name: str) -> list[GoldenStep]:
    """Every golden that there is; for the stateful network its sequence."""
    if name == "digits_int8":
        with np.load(_model(name).with_name("digits_heldout.npz")) as file:
            pairs = zip(file["inputs"], file["outputs"], strict=True)
            return [GoldenStep((x[None],), (y[None],)) for x, y in pairs]
    if name == "mww_vad_int8":
        with np.load(SHARED / "golden" / "tflm" / f"{name}_seq.npz") as file:
            return [GoldenStep((x,), (y,)) for x, y in zip(file["x"], file["y"], strict=True)]
    return [GoldenStep(tuple(x), tuple(y)) for x, y in samples(SHARED, name)]


def _write(model: Path, golden: list[GoldenStep], directory: Path) -> Path:
    return networks.compiled(model).write(directory, golden=golden)


def _build(compiler: str, flags: list[str], project: Path, program: Path) -> Path:
    sources = sorted(map(str, project.glob("*.c")))
    command = [require(compiler), *flags, *FLOAT, *sources, "-lm", "-o", str(program)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    return program


def _run(program: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run([program], capture_output=True, text=True, check=False, timeout=300)
