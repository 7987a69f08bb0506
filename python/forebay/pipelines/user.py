"""Passes of the user's own: classes in a file outside the tree, or of an installed package.

::

    @dataclass(frozen=True)
    class KeepSmallOnesClose(forebay.passes.Pass):
        '''Say what it does; `forebay-opt --help` shows it.'''

        name = "keep-small-ones-close"

        def run(self, op): ...
"""

from __future__ import annotations

import hashlib
import importlib.util
import sys
from collections.abc import Iterable, Mapping
from importlib.metadata import EntryPoint, entry_points
from pathlib import Path
from types import ModuleType

from forebay.errors import Error
from forebay.passes import Pass, pass_names, register
from forebay.pipelines.settings import PHASES, Phase

GROUP = "forebay.passes"
"""The entry point group by which an installed package offers passes."""


class UserPassError(Error):
    """A user's pass that cannot be loaded, or a phase that does not exist."""


def passes_by_phase(requests: Iterable[str]) -> Mapping[Phase, tuple[str, ...]]:
    """Pipeline texts by phase, from requests `PHASE=PASS`.

    `PASS` is a Python file, all of whose passes then run in their order there; the name of an entry
    point; or any text that a pipeline on modules takes: `canonicalize`, `my-pass{limit=3}`. Loads
    and registers what comes from files and entry points.

    Raises `UserPassError` for an unknown phase and for a file that cannot be loaded.
    """
    found: dict[Phase, tuple[str, ...]] = {}
    for request in requests:
        phase, separator, what = request.partition("=")
        known: Phase | None = next((name for name in PHASES if name == phase), None)
        if not separator or not what or known is None:
            raise UserPassError(
                f"'{request}' is not PHASE=PASS with a phase of {', '.join(PHASES)} and a Python "
                "file, an entry point or a pipeline text"
            )
        found[known] = (*found.get(known, ()), *load(what))
    return found


def load(what: str) -> tuple[str, ...]:
    """Pipeline texts of a Python file's or an entry point's passes; other text is one itself."""
    if what.endswith(".py"):
        return load_file(Path(what))
    for entry in sorted(entry_points(group=GROUP), key=lambda entry: entry.name):
        if entry.name == what:
            return _load_entry(entry)
    return (what,)


def load_file(path: Path) -> tuple[str, ...]:
    """Register the passes in a Python file; their names in the order of the file."""
    try:
        code = path.read_bytes()
    except OSError as error:
        raise UserPassError(f"{path}: {error.strerror or error}") from error
    module = _execute(path, hashlib.sha256(code).hexdigest())
    found = [
        value
        for value in vars(module).values()
        if isinstance(value, type)
        and issubclass(value, Pass)
        and value.__module__ == module.__name__
    ]
    if not found:
        raise UserPassError(f"{path} holds no pass: no class derived from forebay.passes.Pass")
    return tuple(_register(pass_class, str(path)) for pass_class in found)


def _execute(path: Path, digest: str) -> ModuleType:
    """The file as a module of a name that no other file and no other version of it has."""
    name = f"forebay_user_{path.stem}_{digest[:12]}"
    spec = importlib.util.spec_from_file_location(name, path)
    if spec is None or spec.loader is None:
        raise UserPassError(f"{path} is not a Python file")
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    try:
        spec.loader.exec_module(module)
    except Exception as error:
        del sys.modules[name]
        raise UserPassError(f"{path}: {type(error).__name__}: {error}") from error
    return module


def _load_entry(entry: EntryPoint) -> tuple[str, ...]:
    found = entry.load()
    if not (isinstance(found, type) and issubclass(found, Pass)):
        raise UserPassError(f"entry point '{entry.name}' is no class derived from Pass")
    return (_register(found, f"entry point '{entry.name}'"),)


def _register(pass_class: type[Pass], where: str) -> str:
    name = getattr(pass_class, "name", None)
    if not isinstance(name, str) or not name:
        raise UserPassError(f"{where}: pass {pass_class.__name__} has no name")
    if name in pass_names():
        raise UserPassError(f"{where}: '{name}' is the name of a pass that ships with Forebay")
    try:
        register(pass_class)
    except (TypeError, KeyError) as error:
        raise UserPassError(
            f"{where}: the options of '{name}' are no dataclass fields made by "
            f"forebay.passes.option of type bool, int, str or tuple[str, ...]: {error}"
        ) from error
    return name
