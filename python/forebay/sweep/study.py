"""Reads the file of a sweep, and lists its configurations."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from msgspec import Struct

from forebay.errors import Error
from forebay.formats.reading import DocumentError, converted
from forebay.formats.sweep_file import Axis, SweepFile, SweepMeasures, SweepTarget, SweepValue
from forebay.options import Options
from forebay.options.option_class import options_in
from forebay.support.extras import require_extra

_OWN_FIELDS = ("target", "planner", "budget", "progress", "passes", "operators")
"""Options that a sweep has fields of its own for, or that are no values."""


class SweepError(Error):
    """A file of a sweep that cannot be used, or a table that cannot be written."""


class Configuration(Struct, frozen=True):
    """One compilation: what the file says, and the paths of the model and of the target.

    `folder` is that of the file; other paths in options are relative to it.
    """

    network: str
    model: str
    target: str
    target_text: str
    parameters: dict[str, SweepValue]
    planner: str
    budget: str | None
    options: dict[str, SweepValue]
    measure: SweepMeasures


def read_study(path: Path) -> tuple[Configuration, ...]:
    """Return the configurations of a sweep's file, in their order; raise `SweepError`."""
    yaml = require_extra("yaml", "sweep", "a file of a sweep is YAML")
    try:
        data = yaml.safe_load(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise SweepError(f"{path}: {error.strerror or error}") from error
    except UnicodeDecodeError as error:
        raise SweepError(f"{path}: not UTF-8 text") from error
    except yaml.MarkedYAMLError as error:
        raise SweepError(f"{_place(path, error.problem_mark)}: not YAML: {_what(error)}") from error
    except yaml.YAMLError as error:  # a character that YAML does not have
        raise SweepError(f"{path}: not YAML: {_what(error)}") from error
    try:
        study = converted(data, SweepFile)
    except DocumentError as error:
        raise SweepError(f"{path}: {error}") from error
    _check_options(path, study)
    _check_networks(path, study)
    return tuple(_configurations(study, path.absolute().parent))


def _place(path: Path, mark: Any) -> str:
    return f"{path}:{mark.line + 1}:{mark.column + 1}" if mark is not None else str(path)


def _what(error: Any) -> str:
    """Return what is wrong, without the place, for which PyYAML has no name of the file."""
    if not hasattr(error, "problem"):
        return f"character {error.position + 1} is #x{error.character:02x}: {error.reason}"
    return ", ".join(part for part in (error.context, error.problem) if part)


def _check_options(path: Path, study: SweepFile) -> None:
    known = [it.name for it in options_in(Options) if it.name not in _OWN_FIELDS]
    for name in study.options:
        if name not in known:
            raise SweepError(
                f"{path}: $.options has no option '{name}'; options: {', '.join(known)}"
            )


def _check_networks(path: Path, study: SweepFile) -> None:
    for number, network in enumerate(study.networks):
        if not (path.absolute().parent / network).is_file():
            raise SweepError(f"{path}: $.networks[{number}]: there is no file '{network}'")


def _configurations(study: SweepFile, folder: Path) -> Iterator[Configuration]:
    for network, target in itertools.product(study.networks, study.targets):
        axes = (study.planners, study.budgets, [*_choices(study.options)])
        for parameters in _choices(target.parameters):
            text = _target_text(target, parameters, folder)
            for planner, budget, options in itertools.product(*axes):
                yield Configuration(
                    network=network,
                    model=str(folder / network),
                    target=target.target,
                    target_text=text,
                    parameters=parameters,
                    planner=_file_or_name(planner, folder),
                    budget=None if budget is None else str(budget),
                    options=options,
                    measure=study.measure,
                )


def _choices(axes: Mapping[str, Axis]) -> Iterator[dict[str, SweepValue]]:
    """Return all combinations of the values, the last name changing fastest."""
    values = [axis if isinstance(axis, tuple) else (axis,) for axis in axes.values()]
    for chosen in itertools.product(*values):
        yield dict(zip(axes, chosen, strict=True))


def _target_text(target: SweepTarget, parameters: Mapping[str, Any], folder: Path) -> str:
    words = [f"{name}={_word(value)}" for name, value in parameters.items()]
    name = _file_or_name(target.target, folder)
    return f"{name}:{','.join(words)}" if words else name


def _word(value: SweepValue) -> str:
    return str(int(value)) if isinstance(value, bool) else str(value)


def _file_or_name(text: str, folder: Path) -> str:
    return str(folder / text) if text.endswith(".py") else text
