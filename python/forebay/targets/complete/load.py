"""Load targets: by name for those that Forebay ships, by file for those of a user."""

from __future__ import annotations

import importlib
import inspect
import pkgutil
import sys
import traceback
from collections.abc import Generator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from importlib import import_module
from pathlib import Path
from types import ModuleType

from mlir import ir

from forebay.errors import Error
from forebay.support.given import ObjectTable
from forebay.support.sizes import size_of
from forebay.targets.complete import pool_options
from forebay.targets.complete.read import read
from forebay.targets.complete.target import Target
from forebay.targets.description.errors import TargetError
from forebay.targets.description.source_location import place_in

_NO_TARGETS = ("complete", "declared", "description", "int32_convolution")
"""Packages in the folder of the targets that targets share."""
_REQUANTISE = "requantise"
"""The parameter of a target whose device can requantise: 1 if it does."""
_loaded: ContextVar[dict[str, Target] | None] = ContextVar("loaded", default=None)
_given: ObjectTable[Target] = ObjectTable("target")


def name_for_target(target: Target) -> str:
    """Return a text by which `load` finds this target, as long as the target object is alive."""
    return _given.name_for(target)


@contextmanager
def once() -> Generator[None]:
    """Load each target at most once within the outermost of these contexts, for a compilation."""
    known = _loaded.get()
    token = _loaded.set({} if known is None else known)
    try:
        yield
    finally:
        _loaded.reset(token)


def names() -> tuple[str, ...]:
    """Return the names of the targets that ship with Forebay, sorted."""
    modules = (
        module.name for module in pkgutil.iter_modules(import_module("forebay.targets").__path__)
    )
    return tuple(sorted(name for name in modules if name not in _NO_TARGETS))


def load(text: str) -> Target:
    """Return the target of a text: a name or a file, with optional parameters.

        host    fetch_conv:act_mem=256K,wei_mem=65536    ./my_npu.py:lanes=4    ./npu.mlir

        devices=accel,cpu/workspace=sram;access=cpu:rw,accel:rw;size=65536

    A Python file defines `TARGET`, or a function `target(*, lanes=8)` that returns one. Its
    parameters are integers, or texts where the default is a text. An MLIR file holds the output of
    `forebay target`. The form in the last example line is described in `pool_options`.

    Raises `TargetError` when there is no such target, or at the line of a mistake in its file.
    """
    given = _given.get(text)
    if given is not None:
        return given
    known = _loaded.get()
    if known is None:
        return _load(text)
    if text not in known:
        known[text] = _load(text)
    return known[text]


def with_requantisation(text: str) -> str:
    """Return the text of the same target, whose device requantises: with `requantise=1`.

    Raises `TargetError` for a target that has no such parameter.
    """
    is_text = _given.get(text) is None and not text.startswith(pool_options.PREFIX)
    where = _split(text)[0] if is_text else ""
    module = _module_of(where)
    make = getattr(module, "target", None)
    if make is None or _REQUANTISE not in inspect.signature(make).parameters:
        raise TargetError(
            f"target '{where or text}' leaves requantisation to the host; --requantise device is "
            f"for targets that are functions with the parameter '{_REQUANTISE}'"
        )
    return f"{text}{',' if ':' in text else ':'}{_REQUANTISE}=1"


def _module_of(where: str) -> ModuleType | None:
    """Return the module of a shipped target or of a file in Python."""
    if where.endswith(".py"):
        return _execute(Path(where))
    return importlib.import_module(f"forebay.targets.{where}") if where in names() else None


def _load(text: str) -> Target:
    if text.startswith(pool_options.PREFIX):
        return pool_options.target_of_options(text)
    where, parameters = _split(text)
    if where.endswith(".mlir"):
        return _read_mlir(Path(where), parameters)
    module = _module_of(where)
    if module is None:
        raise TargetError(
            f"there is no target '{where}'; known targets: {', '.join(names())}, "
            "or give a file: ./my_target.py"
        )
    name = str(Path(where)) if where.endswith(".py") else where
    return _target_in(module, name, parameters, text)


def _split(text: str) -> tuple[str, dict[str, str]]:
    where, colon, rest = text.partition(":")
    parameters: dict[str, str] = {}
    for entry in rest.split(",") if colon else ():
        name, equals, value = entry.partition("=")
        if not equals or not name:
            raise TargetError(f"'{entry}' in '{text}' is not of the form name=65536 or name=64K")
        parameters[name] = value
    return where, parameters


def _number(name: str, value: str, text: str) -> int:
    try:
        return -size_of(value[1:]) if value.startswith("-") else size_of(value)
    except ValueError as error:
        raise TargetError(f"parameter '{name}' in '{text}': {error}") from error


def _execute(path: Path) -> ModuleType:
    try:
        source = path.read_bytes()
    except OSError as error:
        raise TargetError(f"{path}: {error.strerror or error}") from error
    module = ModuleType(f"forebay_target_{path.stem}")
    module.__file__ = str(path)
    # `dataclasses` looks up string annotations in the module of `sys.modules`.
    sys.modules[module.__name__] = module
    with _Mistakes(path):
        # Without this module's own `from __future__ import annotations`.
        exec(compile(source, str(path), "exec", dont_inherit=True), module.__dict__)
    return module


def _target_in(module: ModuleType, where: str, parameters: Mapping[str, str], text: str) -> Target:
    make = getattr(module, "target", None)
    if make is None:
        if parameters:
            raise TargetError(f"target '{where}' takes no parameters, given {_listed(parameters)}")
        return _checked(getattr(module, "TARGET", None), where)
    known = inspect.signature(make).parameters
    given: dict[str, int | str] = {}
    for name, value in parameters.items():
        if name not in known:
            raise TargetError(
                f"target '{where}' has no parameter '{name}'; it has {_listed(tuple(known))}"
            )
        is_text = isinstance(known[name].default, str)
        given[name] = value if is_text else _number(name, value, text)
    with _Mistakes(Path(module.__file__ or where)):
        return _checked(make(**given), where)


def _checked(target: object, where: str) -> Target:
    if not isinstance(target, Target):
        raise TargetError(
            f"{where}: defines neither TARGET = Target(...) nor a function target() that gives one"
        )
    return target


def _read_mlir(path: Path, parameters: Mapping[str, str]) -> Target:
    if parameters:
        raise TargetError(f"{path}: MLIR takes no parameters, given {_listed(parameters)}")
    try:
        text = path.read_text(encoding="utf-8")
    except OSError as error:
        raise TargetError(f"{path}: {error.strerror or error}") from error
    except UnicodeDecodeError as error:
        raise TargetError(f"{path}: {error}") from error
    with ir.Context(), ir.Location.unknown():
        try:
            module = ir.Module.parse(text)
        except ir.MLIRError as error:  # pyright: ignore[reportAttributeAccessIssue]
            diagnostic = error.error_diagnostics[0]
            raise TargetError(
                f"{path}:{diagnostic.location.start_line}: {diagnostic.message}"
            ) from error
        return read(module.operation, path.stem)


class _Mistakes:
    """A context that turns exceptions of a user's file into `TargetError` at the file's line."""

    def __init__(self, path: Path) -> None:
        self._path = path

    def __enter__(self) -> None:
        return None

    def __exit__(self, kind: object, error: BaseException | None, trace: object) -> None:
        if not isinstance(error, Exception) or isinstance(error, Error):
            return
        if isinstance(error, SyntaxError):
            place = place_in(error.filename or str(self._path), error.lineno or 1)
            raise TargetError(error.msg, place) from error
        frames = traceback.extract_tb(error.__traceback__)
        lines = [frame.lineno for frame in frames if Path(frame.filename) == self._path]
        line = lines[-1] if lines and lines[-1] else 1
        message = f"{type(error).__name__}: {error}"
        raise TargetError(message, place_in(str(self._path), line)) from error


def _listed(names: Mapping[str, str] | tuple[str, ...]) -> str:
    return ", ".join(names) or "none"
