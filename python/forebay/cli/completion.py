"""The completion of shells, which shtab prints from the parser of all commands."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any

from forebay.cli.parser import COMMANDS, parser_of

SHELLS = ("bash", "zsh", "fish")


def completion_text(shell: str) -> str:
    """Return the script that completes the commands and arguments of `forebay` in a shell."""
    import shtab  # noqa: PLC0415  (used only here)

    parser = parser_of(COMMANDS)
    names = _names()
    for action in _actions(parser):
        if action.choices is None and action.dest in names:
            action.choices = tuple(names[action.dest]())
        elif action.choices is None and action.nargs != 0:
            _complete(action, "directory" if action.metavar == "DIR" else "file")
    return shtab.complete(parser, shell)


def _actions(parser: argparse.ArgumentParser) -> Iterable[argparse.Action]:
    """Return the arguments of the parser and of all of its commands."""
    for action in parser._actions:
        commands = [it for it in _values(action) if isinstance(it, argparse.ArgumentParser)]
        for command in commands:
            yield from _actions(command)
        if not commands:
            yield action


def _values(action: argparse.Action) -> Iterable[object]:
    """Return what the choices of an argument stand for, which is a parser for a command."""
    return action.choices.values() if isinstance(action.choices, Mapping) else ()


def _complete(action: Any, kind: str) -> None:
    """Let shtab complete files or directories, where the argument is one."""
    import shtab  # noqa: PLC0415

    if action.type is Path or "FILE" in str(action.metavar):
        action.complete = shtab.DIRECTORY if kind == "directory" else shtab.FILE


def _names() -> dict[str, Callable[[], Iterable[str]]]:
    """Return the arguments that are names of this installation, by their destination."""
    from forebay.formats.documents import DOCUMENTS  # noqa: PLC0415
    from forebay.mcu import boards  # noqa: PLC0415

    return {"board": boards.names, "document": lambda: [kind.document for kind in DOCUMENTS]}
