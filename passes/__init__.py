"""Forebay's passes: one per file, named as the pass, found by a search of this folder.

A file whose name starts with an underscore holds no pass.

Public as `forebay.api.passes`; the rest may change without notice.
"""

from functools import cache, partial
from importlib import import_module
from pathlib import Path

import forebay.dialects  # noqa: F401  # pyright: ignore[reportUnusedImport]  (registers)
from forebay.passes._declaration import PassDeclaration, declaration_in
from forebay.passes._pass import Pass, PassError, option, register_declared, register_pass
from forebay.support.option_kinds import Size

__all__ = ["Pass", "PassError", "Size", "option", "pass_class", "pass_names", "register_pass"]


HERE = Path(__file__).parent


@cache
def _declarations() -> dict[str, tuple[str, PassDeclaration]]:
    """Return module name and declaration of each pass of this folder, sorted by pass name."""
    files = sorted((p for p in HERE.glob("*/*.py") if p.stem[0] != "_"), key=lambda p: p.stem)
    declared = ((path, declaration_in(path)) for path in files)
    return {
        found.name: (f"{__name__}.{path.parent.name}.{path.stem}", found)
        for path, found in declared
    }


def pass_names() -> tuple[str, ...]:
    """Return the names of the passes of this folder, sorted."""
    return tuple(_declarations())


def pass_class(name: str) -> type[Pass]:
    """Import and return the class of a pass of this folder.

    Raises `KeyError` for an unknown name.
    """
    module, declaration = _declarations()[name]
    return getattr(import_module(module), declaration.class_name)


for _module, _declaration in _declarations().values():
    register_declared(_declaration, partial(pass_class, _declaration.name))
