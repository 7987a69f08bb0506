"""The planning problems of compiled networks: every network, inputs and outputs in pools."""

import sys
import tempfile
import time
from pathlib import Path

from forebay.planning import Effort, certify, find_planner

RUNS = 5


def print_networks(effort: Effort) -> None:
    """Print buffers, seconds of planning (best of several runs), and pools without a proof."""
    try:
        networks = _networks()
    except ImportError as error:
        print(f"\nnetworks: skipped, {error}")
        return
    print(f"\nnetworks: planning by 'auto', best of {RUNS} runs")
    print(f"{'network':<26}{'buffers':>8}{'workspace':>12}{'bound':>12}{'seconds':>9}  proved")
    with tempfile.TemporaryDirectory() as folder:
        for name, model in networks:
            file = Path(folder) / f"{name}.mlir"
            if _pose(model, file):
                _print(name, file, effort)


def _print(name: str, file: Path, effort: Effort) -> None:
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
    print(
        f"{name:<26}{len(problem.buffers):>8,}{workspace.peak:>12,}{workspace.lower_bound:>12,}"
        f"{min(seconds):>9.4f}  {'all' if not open_ else 'not ' + ', '.join(open_)}",
        flush=True,
    )


def _networks() -> list[tuple[str, Path]]:
    sys.path.append(str(Path(__file__).parents[1]))
    from networks import networks  # noqa: PLC0415

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
