"""The user's request for a compilation, checked as far as possible without the model."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TypeVar

from mlir import ir

from forebay import targets
from forebay.driver.user_passes import Passes, passes_by_phase
from forebay.errors import Error
from forebay.ir.machine.devices import devices_in
from forebay.pipelines.choices import devices_of, io_of, names_of, pools_of, slots_of
from forebay.pipelines.option_text import can_be_quoted
from forebay.pipelines.settings import OWN_TARGET, Settings
from forebay.planning import registry
from forebay.planning.contract.planner import Planner
from forebay.planning.user import UserFunction
from forebay.targets import Target

T = TypeVar("T")
Choices = Sequence[str] | Mapping[str, str | Sequence[str]]
"""`NAME=CHOICE` texts, or choices by name."""


def settings_of(
    *,
    target: str | Path | Target | None = None,
    place: Choices = (),
    placement: str | Path | None = None,
    order: Sequence[str] = (),
    io: str = "caller",
    input_pools: Choices = (),
    output_pools: Choices = (),
    constant_pools: Choices = (),
    strict: bool = False,
    planner: str | Path | Planner | UserFunction = "auto",
    slots: int = 2,
    passes: Passes = (),
) -> Settings:
    """Return the settings for these choices, after all checks that need no model.

    Raises `Error` for an invalid choice.
    """
    chosen = None if target is None else _target_of(target)
    found = registry.planner_of(planner)
    return Settings(
        target=OWN_TARGET if chosen is None else _word(target, chosen, targets.word_for),
        place=devices_of(place),
        placement="" if placement is None else str(placement),
        order=names_of("order", order),
        io=io_of(io),
        input_pools=pools_of("input_pools", input_pools),
        output_pools=pools_of("output_pools", output_pools),
        constant_pools=pools_of("constant_pools", constant_pools),
        strict=strict,
        planner=_word(planner, found, registry.word_for),
        slots=slots_of(slots),
        at=passes_by_phase(passes),
        given=(chosen, found),
    )


def _target_of(target: object) -> Target:
    """Load the target here, so that an error in the target's file is not an error of a pass."""
    if isinstance(target, Target):
        return target
    if not isinstance(target, str | Path):
        raise Error(f"{target!r} is no target: give a name, a file or a forebay.targets.Target")
    return targets.load(str(target))


def _word(given: object, found: T, word_for: Callable[[T], str]) -> str:
    """Return the text for a pipeline: a given name as it is, else a generated word."""
    text = str(given)
    is_name = isinstance(given, str | Path) and can_be_quoted(text)
    return text if is_name else word_for(found)


def for_module(settings: Settings, module: ir.Module, *, is_named: bool) -> Settings:
    """Return the settings with a target, also if the user did not name one."""
    if is_named:
        return settings
    if not devices_in(module.operation):
        return replace(settings, target="host")
    for what in ("place", "placement", "order"):
        if getattr(settings, what):
            raise Error(
                f"{what} sends operators to the devices of a target, but the module declares its "
                "devices itself: name a target, or write accel.call into the module"
            )
    return settings
