"""Processors that run the host's kernels: what their instructions cost, and the blocks that fit.

Imports no MLIR. One file per instruction set, found by a search of this folder; a processor has the
name of its file, with dashes. `costs` is the model that chooses blocks.

Internal: may change without notice.
"""

from __future__ import annotations

import importlib
import pkgutil

from forebay.cpus.cpu import Cpu
from forebay.cpus.host import host_processor

GENERIC = "generic"
NATIVE = "native"
"""The processor of this machine."""

_OTHERS = ("costs", "cpu", "host")


def names() -> list[str]:
    """Return the names of all processors with a file, sorted."""
    found = (module.name for module in pkgutil.iter_modules(__path__))
    return sorted(name.replace("_", "-") for name in found if name not in _OTHERS)


def schedule_of(name: str) -> Cpu:
    """Return what schedules need to know of a processor; the generic one if it has no file.

    The native one is the most capable one that this machine has.
    """
    if name == NATIVE:
        return schedule_of(host_processor() or GENERIC)
    chosen = name if name in names() else GENERIC
    return importlib.import_module(f"{__name__}.{chosen.replace('-', '_')}").CPU
