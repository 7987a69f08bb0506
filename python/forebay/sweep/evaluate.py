"""The result of one configuration, which depends on nothing else."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

from forebay.errors import BugError, Error
from forebay.formats.sweep_record import SweepRecord, SweptPool
from forebay.sweep.study import Configuration

if TYPE_CHECKING:
    from forebay.driver.compiled import Compiled


def evaluate(configuration: Configuration, key: str) -> SweepRecord:
    """Compile, measure, and return the record; an error is its outcome and its reason."""
    started = time.perf_counter()
    found: dict[str, Any]
    try:
        found = {"outcome": "planned", **_measured(configuration)}
    except BugError as error:
        found = {"outcome": "failed", "reason": str(error)}
    except Error as error:
        found = {"outcome": "refused", "reason": str(error)}
    except Exception as error:
        found = {"outcome": "failed", "reason": f"{type(error).__name__}: {error}"}
    return record_of(configuration, key, seconds=time.perf_counter() - started, **found)


def record_of(configuration: Configuration, key: str, **found: Any) -> SweepRecord:
    """Return a record with the configuration's own columns."""
    return SweepRecord(
        key=key,
        network=configuration.network,
        target=configuration.target,
        parameters=configuration.parameters,
        planner=configuration.planner,
        budget=configuration.budget,
        options=configuration.options,
        **found,
    )


def _measured(configuration: Configuration) -> dict[str, Any]:
    import forebay  # noqa: PLC0415  (in the worker)

    values: dict[str, Any] = {**configuration.options, "target": configuration.target_text}
    values["planner"] = configuration.planner
    if configuration.budget is not None:
        values["budget"] = configuration.budget
    compiled = forebay.compile(configuration.model, **values)
    measure = configuration.measure
    found = _plan_of(compiled)
    if measure.cycles:
        found |= _emulated(compiled, measure.host_rate)
    if measure.board is not None:
        found |= _on_board(compiled, measure.board)
    return found


def _plan_of(compiled: Compiled) -> dict[str, Any]:
    known = {pool.name: pool for pool in (*compiled.info.pools, *compiled.info.inside)}
    pools = tuple(
        SweptPool(
            it.pool, known[it.pool].kind.name, it.peak, it.lower_bound, known[it.pool].capacity
        )
        for it in compiled.plan.certificates
        if it.pool in known
    )

    def total(kind: str) -> int:
        return sum(pool.peak for pool in pools if pool.kind == kind)

    return {
        "pools": pools,
        "workspace": total("workspace"),
        "workspace_bound": sum(it.lower_bound for it in pools if it.kind == "workspace"),
        "constants": total("constant"),
        "state": total("state"),
    }


def _emulated(compiled: Compiled, host_rate: float | None) -> dict[str, Any]:
    """Return the modelled cycles of one inference on drawn inputs, and the bytes of transfers."""
    from forebay.golden.steps import drawn_inputs  # noqa: PLC0415

    engine = compiled.emulator(host_rate=host_rate)
    engine.reset()
    engine.report.clear()
    engine.run(drawn_inputs(compiled.info)[0])
    most: dict[str, int] = {}
    for (transfer, _), count in engine.report.moved.items():  # by both of its memories
        most[transfer] = max(count, most.get(transfer, 0))
    return {"cycles": engine.report.cycles, "bytes_moved": sum(most.values())}


def _on_board(compiled: Compiled, board: str) -> dict[str, Any]:
    from forebay.mcu import boards, measure  # noqa: PLC0415

    report = measure(compiled, boards.load(board))
    return {"instructions": report.instructions[0], "code": report.code}
