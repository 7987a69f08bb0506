"""`forebay completion`: prints the completion of a shell."""

from __future__ import annotations

import argparse

from forebay.cli.completion import SHELLS, completion_text


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of the command."""
    parser.add_argument("shell", choices=SHELLS, help="docs/command-line.md says how to install it")
    parser.set_defaults(run=_run)


def _run(arguments: argparse.Namespace) -> int:
    print(completion_text(arguments.shell))
    return 0
