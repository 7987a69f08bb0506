"""Targets: the devices and pools that a program is compiled for. One target per file."""

import pkgutil
from importlib import import_module

from forebay.targets.target import Device, Pool, PoolKind, Target, TargetError

__all__ = ["Device", "Pool", "PoolKind", "Target", "TargetError", "load", "names"]


def names() -> tuple[str, ...]:
    """The names of the targets that ship with Forebay, sorted."""
    modules = (module.name for module in pkgutil.iter_modules(__path__))
    return tuple(sorted(name for name in modules if name != "target"))


def load(name: str) -> Target:
    """The target called `name`.

    Raises `TargetError` when there is none, with the known names.
    """
    if name not in names():
        raise TargetError(f"there is no target '{name}'; known targets: {', '.join(names())}")
    target = import_module(f"{__name__}.{name}").TARGET
    if not isinstance(target, Target):
        raise TargetError(f"TARGET in {__name__}.{name} is not a Target")
    return target
