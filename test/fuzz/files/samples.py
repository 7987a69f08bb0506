"""Files that are right, of every kind that the command reads, and the command that reads them."""

from __future__ import annotations

import io
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from random import Random

import numpy as np

from forebay.ir.problem.planning_problem_files import problem_text
from forebay.planning import PlanningError
from forebay.planning.formats.json_problem import print_json_problem
from fuzz.graphs.draw import draw_network
from fuzz.problems.draw import draw_problem

ROOT = Path(__file__).parents[3]
DIGITS = ROOT / "examples" / "digits" / "digits_int8.tflite"
CSV = "id,lower,upper,size,alignment,offset\na,0,2,10,4,\nb,1,3,20,1,64\nc,2,4,30,,\n"
TARGETS = [
    ROOT / "examples" / "target" / "pooler.py",
    ROOT / "test" / "fuzz" / "graphs" / "two_pools.py",
    ROOT / "python" / "forebay" / "targets" / "host.py",
]


@dataclass(frozen=True)
class Sample:
    """A right file, and the command's arguments, given its path and an output folder."""

    suffix: str
    content: bytes
    command: Callable[[Path, Path], list[str]]


def draw_sample(rng: Random, seed: int) -> Sample:
    """A file of a drawn kind."""
    kinds = [
        network,
        network,
        network,
        onnx_network,
        program,
        program,
        arrays,
        problem,
        problem,
        table,
        target,
    ]
    return rng.choice(kinds)(rng, seed)


def network(rng: Random, seed: int) -> Sample:
    content = DIGITS.read_bytes() if rng.random() < 0.1 else draw_network(seed % 500)
    return Sample(".tflite", content, lambda file, out: ["compile", str(file), "-o", str(out)])


def onnx_network(rng: Random, _: int) -> Sample:
    """One of the small networks of the tests, of floats or quantised."""
    content = rng.choice(sorted((ROOT / "test" / "models").glob("*.onnx"))).read_bytes()
    return Sample(".onnx", content, lambda file, out: ["compile", str(file), "-o", str(out)])


def program(rng: Random, _: int) -> Sample:
    """A test of a pass or of the front end; most are networks or parts of their way."""
    folders = ["passes", "dialects", "python/frontends"]
    files = sorted(f for folder in folders for f in (ROOT / "test" / folder).rglob("*.mlir"))
    content = rng.choice([*files, ROOT / "examples" / "two_models" / "smooth.mlir"]).read_bytes()
    parts = content.split(b"// -----")
    return Sample(
        ".mlir", rng.choice(parts), lambda file, out: ["compile", str(file), "-o", str(out)]
    )


def arrays(rng: Random, _: int) -> Sample:
    file = io.BytesIO()
    save = rng.choice([np.savez, np.savez_compressed])
    save(file, **{"serving_default_image": np.zeros((1, 8, 8, 1), np.int8)})

    def command(path: Path, out: Path) -> list[str]:
        return ["run", str(DIGITS), "--input", str(path), "--engine", "llvm"]

    return Sample(".npz", file.getvalue(), command)


def problem(rng: Random, seed: int) -> Sample:
    """A planning problem as .json or .mlir; what contradicts itself is .json."""
    found = draw_problem(seed)
    try:
        found.check()
    except PlanningError:
        return Sample(".json", print_json_problem(found).encode(), _plan(rng))
    if rng.random() < 0.3:
        return Sample(".mlir", problem_text(found).encode(), _plan(rng))
    return Sample(".json", print_json_problem(found).encode(), _plan(rng))


def table(rng: Random, _: int) -> Sample:
    return Sample(".csv", CSV.encode(), _plan(rng))


def _plan(rng: Random) -> Callable[[Path, Path], list[str]]:
    planner = rng.choice(["auto", "first-fit", "hill-climb"])
    suffix = rng.choice([".json", ".csv", ".mlir"])

    def command(file: Path, out: Path) -> list[str]:
        return ["plan", str(file), "--planner", planner, "--out", str(out.with_suffix(suffix))]

    return command


def target(rng: Random, _: int) -> Sample:
    content = rng.choice(TARGETS).read_bytes()

    def command(file: Path, out: Path) -> list[str]:
        return ["compile", str(DIGITS), "--target", str(file), "-o", str(out)]

    return Sample(".py", content, command)
