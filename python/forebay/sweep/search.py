"""A search over the configurations of a sweep by Optuna, instead of trying all of them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from forebay.formats.sweep_record import SweepRecord
from forebay.support.extras import require_extra
from forebay.sweep.run import run_sweep
from forebay.sweep.study import Configuration, SweepError

OBJECTIVES = ("workspace", "constants", "cycles", "bytes_moved", "instructions", "code")

Evaluated = Callable[[Configuration], SweepRecord]


def search(
    configurations: Sequence[Configuration],
    objectives: Sequence[str],
    trials: int,
    *,
    cache: Path | None = None,
    seed: int = 0,
) -> tuple[SweepRecord, ...]:
    """Return the records that the search evaluated, each once.

    The search minimises all objectives for one network. Refused configurations are infeasible.
    Raises `SweepError` for several networks and for unknown objectives.
    """
    _check(configurations, objectives)
    optuna = require_extra("optuna", "optuna", "the search is by Optuna")
    optuna.logging.set_verbosity(optuna.logging.ERROR)
    space = _space(configurations)
    by_point = {_point(it): it for it in configurations}
    records: dict[str, SweepRecord] = {}

    def objective(trial: Any) -> tuple[float, ...]:
        point = tuple((n, trial.suggest_categorical(n, values)) for n, values in space.items())
        configuration = by_point.get(tuple((name, value) for name, value in point if value != _NO))
        if configuration is None:
            raise optuna.TrialPruned  # a parameter that only other targets have
        (record,) = run_sweep([configuration], cache=cache)
        records[record.key] = record
        values = [getattr(record, name) for name in objectives]
        if any(value is None for value in values):
            raise optuna.TrialPruned
        return tuple(map(float, values))

    study = optuna.create_study(
        directions=["minimize"] * len(objectives), sampler=optuna.samplers.TPESampler(seed=seed)
    )
    study.optimize(objective, n_trials=trials)
    return tuple(records.values())


_NO = "-"
"""The value of a parameter that a configuration does not have."""


def _check(configurations: Sequence[Configuration], objectives: Sequence[str]) -> None:
    networks = {it.network for it in configurations}
    if len(networks) > 1:
        raise SweepError(f"a search is for one network, but the file lists {len(networks)}")
    for name in objectives:
        if name not in OBJECTIVES:
            raise SweepError(f"there is no objective '{name}'; objectives: {', '.join(OBJECTIVES)}")


def _point(it: Configuration) -> tuple[tuple[str, str], ...]:
    """Return the configuration as names and values, in a fixed order."""
    facts = {"target": it.target, "planner": it.planner, "budget": str(it.budget)}
    facts |= {f"parameter.{name}": str(value) for name, value in it.parameters.items()}
    facts |= {f"option.{name}": str(value) for name, value in it.options.items()}
    return tuple(sorted(facts.items()))


def _space(configurations: Sequence[Configuration]) -> dict[str, list[str]]:
    """Return the values of each name; with `_NO` where not every configuration has it."""
    points = [dict(_point(it)) for it in configurations]
    names = sorted({name for point in points for name in point})
    return {name: list(dict.fromkeys(point.get(name, _NO) for point in points)) for name in names}
