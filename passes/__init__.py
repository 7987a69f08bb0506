"""Forebay's passes: one per file, named as the pass, found by looking into this folder.

A file whose name starts with an underscore holds no pass.
"""

import pkgutil
from importlib import import_module

import forebay.dialects  # noqa: F401  # pyright: ignore[reportUnusedImport]  (registers)
from forebay.passes._pass import Pass, PassError, option, register

__all__ = ["Pass", "PassError", "option", "pass_classes", "register"]


def pass_classes() -> tuple[type[Pass], ...]:
    """All passes of this folder, sorted by name.

    Raises `TypeError` when a file does not hold exactly the pass that its name promises.
    """
    return tuple(_pass_in(module.name) for module in _pass_modules())


def _pass_modules() -> list[pkgutil.ModuleInfo]:
    modules = pkgutil.iter_modules(__path__)
    return sorted((m for m in modules if not m.name.startswith("_")), key=lambda m: m.name)


def _pass_in(module_name: str) -> type[Pass]:
    module = import_module(f"{__name__}.{module_name}")
    expected = module_name.replace("_", "-")
    found = [
        value
        for value in vars(module).values()
        if isinstance(value, type)
        and issubclass(value, Pass)
        and value.__module__ == module.__name__
    ]
    if [value.name for value in found] != [expected]:
        names = ", ".join(value.name for value in found) or "none"
        raise TypeError(
            f"{module.__name__} must hold the pass '{expected}' alone, but holds {names}"
        )
    return found[0]


for _pass_class in pass_classes():
    register(_pass_class)
