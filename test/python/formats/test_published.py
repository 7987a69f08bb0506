"""What Forebay writes agrees with the published schemas; what they refuse, Forebay refuses."""

from __future__ import annotations

import copy
import json
from collections.abc import Callable, Iterator
from pathlib import Path
from random import Random
from typing import Any

import jsonschema
import msgspec
import pytest
from common.documents.mcu_reports import mcu_report
from common.documents.sweep_records import PLANNED

import forebay
from forebay.cli.main import main
from forebay.driver.trace import write_trace
from forebay.emulator.machine.timeline import Timeline, Work
from forebay.formats.documents import DOCUMENTS, document_named
from forebay.formats.environment_report import (
    CheckedAbility,
    EnvironmentReport,
    InstalledPackage,
    InstalledTool,
)
from forebay.formats.mcu_report import (
    FunctionCost,
    OutputHash,
)
from forebay.formats.reading import DocumentError, read_document
from forebay.formats.sweep_file import SweepFile, SweepMeasures, SweepTarget
from forebay.formats.writing import json_text
from forebay.planning import Buffer, Pool, Problem, Separation, live, write_problem

PUBLISHED = Path(__file__).parents[3] / "docs" / "schemas"
WRONG = [None, True, -1, 0, 1.5, 2**70, "", "x", [], [0], ["x"], {}, {"x": 0}]
Path_ = tuple[str | int, ...]


MCU = msgspec.structs.replace(
    mcu_report(
        FunctionCost("net_conv", 0, "CONV_2D", "y", 512, (1000, 1001)),
        FunctionCost("other", None, "", "", 8, (2, 2)),
    ),
    outputs=(OutputHash(0, "y", "0123456789abcdef", None),),
)


def timeline() -> Timeline:
    found = Timeline()
    found.wait(found.start(Work("@npu.mvin", "n.mlir:1:1", 21, 64), "npu"), Work("wait", "n:2"))
    return found


ENVIRONMENT = EnvironmentReport(
    format="forebay-environment-report",
    version=1,
    forebay="0.1.0",
    python="CPython 3.11.7",
    platform="Linux, glibc 2.36",
    packages=(
        InstalledPackage("numpy", ">=1.26", None, "2.0", True),
        InstalledPackage("ortools", ">=9.10", "cp-sat", None, False),
    ),
    tools=(
        InstalledTool("cc", "gcc", "run --engine c", "/usr/bin/cc", "cc 12"),
        InstalledTool("clang", "clang", "tests", None, None),
    ),
    checks=(CheckedAbility("mcu --board mps3-an547", "fails", "no"),),
)


SWEEP = SweepFile(
    networks=("a.tflite",),
    targets=(SweepTarget("npu", {"size": ("16K", 4), "mode": True}),),
    budgets=(None, "min", 64),
    options={"slots": (1, 2)},
    measure=SweepMeasures(cycles=True, host_rate=0.5, board="mps3-an547"),
)


def problem_file(folder: Path) -> Path:
    buffers = (
        Buffer("a", 8, live(0, 2), ("m", "n"), alignment=4, costs=(0, 3)),
        Buffer("b", 2**40, live(1, 3), ("n",), alias="g", pinned_by=("conv",), origin="net:1"),
        Buffer("d", 4, live(0, 2), ("n",), block="e", block_offset=64),
        Buffer("c", 8, live(2, 4), ("n",), pinned_pool="n", pinned_offset=64),
    )
    pools = (Pool("m", capacity=64, banks=2), Pool("n", base=4096, alignment=16, cost=3))
    problem = Problem(pools, buffers, (("a", "c"),), ("x", "y"), "p", (Separation("a", "c", 1),))
    write_problem(problem, folder / "problem.json")
    return folder / "problem.json"


@pytest.fixture(scope="module")
def written(digits: Path, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """A file of each document that a user gets."""
    folder = tmp_path_factory.mktemp("written")
    problem = problem_file(folder)
    assert main(["plan", str(problem), "--out", str(folder / "plan.json")]) == 0
    project = forebay.compile(digits).write(folder / "project", weights_blob=True)
    offload, placement = folder / "offload.json", folder / "placement.json"
    options = ["--target", "fetch_conv", "--offload-report", str(offload)]
    options += ["--save-placement", str(placement), "-o", str(folder / "offloaded")]
    assert main(["compile", str(digits), *options]) == 0
    write_trace(timeline(), "net", folder / "trace.json")
    budget = folder / "budget.json"
    assert main(["budget", str(digits), "--points", "2", "--json", str(budget)]) == 0
    (folder / "mcu.json").write_text(json_text(MCU), "utf-8")
    (folder / "sweep.json").write_text(json_text(SWEEP), "utf-8")
    (folder / "sweep-record.json").write_text(json_text(PLANNED), "utf-8")
    (folder / "environment.json").write_text(json_text(ENVIRONMENT), "utf-8")
    other = forebay.compile(digits.parents[1] / "two_models/smooth.mlir").write(folder / "smooth")
    plain = forebay.compile(digits).write(folder / "plain")
    forebay.share_projects([plain, other], folder / "image")
    shared = folder / "image" / "image.json"
    return {
        "planning-problem": problem,
        "plan": folder / "plan.json",
        "memory-map": project / f"{digits.stem}.json",
        "image-map": shared,
        "weights-manifest": project / f"{digits.stem}_weights.json",
        "output-manifest": project / "forebay-manifest.json",
        "placement": placement,
        "offload-report": offload,
        "mcu-report": folder / "mcu.json",
        "trace": folder / "trace.json",
        "budget-report": budget,
        "sweep": folder / "sweep.json",
        "sweep-record": folder / "sweep-record.json",
        "environment-report": folder / "environment.json",
    }


def validator(name: str) -> Callable[[Any], bool]:
    schema = json.loads((PUBLISHED / f"{name}.json").read_text("utf-8"))
    return jsonschema.Draft202012Validator(schema).is_valid


def is_read(name: str, data: Any) -> bool:
    try:
        read_document(json.dumps(data), document_named(name))
    except DocumentError:
        return False
    return True


def shortened(data: Any) -> Any:
    """Of every list the first two and the last entry: the others are of the same type."""
    if isinstance(data, dict):
        return {key: shortened(value) for key, value in data.items()}
    if isinstance(data, list):
        return [shortened(data[index]) for index in sorted({0, 1, len(data) - 1}) if data[index:]]
    return data


def paths_in(data: Any, at: Path_ = ()) -> Iterator[Path_]:
    yield at
    if isinstance(data, dict):
        for key, value in data.items():
            yield from paths_in(value, (*at, key))
    elif isinstance(data, list):
        for index, value in enumerate(data):
            yield from paths_in(value, (*at, index))


def changes_of(data: Any) -> Iterator[tuple[str, Any]]:
    """The document with one value replaced, removed or added."""
    for path in paths_in(data):
        if not path:
            yield from ((f"document = {value!r}", value) for value in WRONG)
            continue
        for value in WRONG:
            yield f"{path} = {value!r}", changed(data, path, lambda at, k, v=value: put(at, k, v))
        yield f"without {path}", changed(data, path, lambda at, key: at.pop(key))
        yield f"beside {path}", changed(data, path, lambda at, key: beside(at))


def changed(data: Any, path: Path_, change: Callable[[Any, Any], Any]) -> Any:
    new = copy.deepcopy(data)
    at = new
    for key in path[:-1]:
        at = at[key]
    change(at, path[-1])
    return new


def put(at: Any, key: Any, value: Any) -> None:
    at[key] = value


def beside(at: Any) -> None:
    if isinstance(at, dict):
        at["unknown"] = 1
    else:
        at.append(at[0])


@pytest.mark.parametrize("name", [kind.document for kind in DOCUMENTS])
def test_what_is_written_agrees_with_the_schema(name: str, written: dict[str, Path]):
    data = json.loads(written[name].read_text("utf-8"))
    assert validator(name)(data)
    assert is_read(name, data)


@pytest.mark.parametrize("name", [kind.document for kind in DOCUMENTS])
def test_schema_and_reader_refuse_the_same_documents(name: str, written: dict[str, Path]):
    data, is_valid = shortened(json.loads(written[name].read_text("utf-8"))), validator(name)
    verdicts: set[bool] = set()
    changes = list(changes_of(data))
    for what, new in Random(0).sample(changes, min(len(changes), 500)):
        verdict = is_valid(new)
        assert is_read(name, new) is verdict, what
        verdicts.add(verdict)
    assert verdicts == {True, False}
