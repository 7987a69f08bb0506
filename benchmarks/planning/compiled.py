"""The planning problems of compiled networks: every network, inputs and outputs in pools."""

import sys
import tempfile
import time
from pathlib import Path

from forebay.cli.progress import shown_progress
from forebay.planning import Effort, certify, find_planner
from forebay.reports.table import TextTable, show

RUNS = 5


def print_networks(effort: Effort) -> None:
    """Print buffers, seconds of planning (best of several runs), and pools without a proof."""
    try:
        networks = _networks()
    except ImportError as error:
        print(f"\nnetworks: skipped, {error}")
        return
    rows: list[list[str]] = []
    with tempfile.TemporaryDirectory() as folder, shown_progress() as show_stage:
        for name, model in networks:
            show_stage(name)
            file = Path(folder) / f"{name}.mlir"
            if _pose(model, file):
                rows.append(_row(name, file, effort))
    head = ["network", "buffers", "workspace", "bound", "seconds", "proved"]
    title = f"\nnetworks: planning by 'auto', best of {RUNS} runs"
    show([title, TextTable(head, rows, numbers=(1, 2, 3, 4))])


def _row(name: str, file: Path, effort: Effort) -> list[str]:
    from forebay.ir.problem.planning_problem_files import read_problem_file  # noqa: PLC0415

    problem = read_problem_file(file)
    planner, seconds = find_planner("auto", effort), []
    for _ in range(RUNS):
        started = time.perf_counter()
        plan = planner.plan(problem)
        seconds.append(time.perf_counter() - started)
    certificates = {c.pool: c for c in certify(plan)}
    workspace = certificates["workspace"]
    open_ = [c.pool for c in certificates.values() if not c.optimal]
    return [
        name,
        f"{len(problem.buffers):,}",
        f"{workspace.peak:,}",
        f"{workspace.lower_bound:,}",
        f"{min(seconds):.4f}",
        "all" if not open_ else f"not {', '.join(open_)}",
    ]


def _networks() -> list[tuple[str, Path]]:
    sys.path.append(str(Path(__file__).parents[1]))
    from measurement.networks import networks  # noqa: PLC0415

    return [(network.name, network.path) for network in networks()]


def _pose(model: Path, file: Path) -> bool:
    """Compile up to planning and write the problem; return False if the model is refused."""
    import forebay  # noqa: PLC0415
    from forebay.ir.problem.planning_problem_files import write_problem_file  # noqa: PLC0415

    try:
        compiled = forebay.compile(model, io="pool")
    except forebay.Error:
        return False
    write_problem_file(compiled.plan.plan.problem, file)
    return True
