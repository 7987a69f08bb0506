"""Parsers whose errors are one line: what is wrong, the nearest name, and where the help is."""

from __future__ import annotations

import argparse
from collections.abc import Iterable, Sequence
from typing import Any, NoReturn

from forebay.process.streams import print_error

WRONG_USAGE = 2
"""Exit code for arguments that a command does not accept."""


class CommandParser(argparse.ArgumentParser):
    """A parser of a command, without abbreviated options, so that new options change no command."""

    def __init__(self, **settings: Any) -> None:
        super().__init__(**settings, allow_abbrev=False)

    def error(self, message: str) -> NoReturn:
        """Print one line and exit."""
        end = "" if message.endswith("?") else ";"
        print_error(f"forebay: error: {message}{end} '{self.prog} --help' lists the arguments")
        self.exit(WRONG_USAGE)

    def require_known_options(
        self, arguments: Sequence[str], command: CommandParser | None = None
    ) -> None:
        """Report the first argument that looks like an option and is none, with the nearest one.

        An option of `command`, which follows, belongs after it. This check comes before the
        parser's own, which reports a missing argument first.
        """
        known = self._option_string_actions
        for word in arguments:
            if word == "--":
                return
            flag = word.partition("=")[0] if word.startswith("--") else word[:2]
            if _is_option(word) and flag not in known:
                flag = word.partition("=")[0]
                if command is not None and command.has_option(flag):
                    self.error(f"'{flag}' belongs behind the command: {command.prog} {flag}")
                self.error(f"there is no option '{flag}'{nearest_of(flag, known)}")

    def has_option(self, flag: str) -> bool:
        """Return whether the command has this option."""
        return flag in self._option_string_actions

    def _check_value(self, action: argparse.Action, value: Any) -> None:
        """Refuse a value that is not one of the choices."""
        choices = action.choices
        if choices is not None and value not in choices:
            names = [str(choice) for choice in choices]
            text = f"'{value}' is not one of {', '.join(names)}{nearest_of(str(value), names)}"
            raise argparse.ArgumentError(action, text)


def nearest_of(word: str, known: Iterable[str]) -> str:
    """Return a question that proposes the nearest of the known words, or an empty text."""
    from difflib import get_close_matches  # noqa: PLC0415  (only for an error)

    found = get_close_matches(word, list(known), n=1)
    return f"; did you mean '{found[0]}'?" if found else ""


def _is_option(word: str) -> bool:
    """Return whether a parser takes the word for an option and not for a value."""
    if not word.startswith("-") or word == "-" or " " in word:
        return False
    try:
        float(word)
    except ValueError:
        return True
    return False
