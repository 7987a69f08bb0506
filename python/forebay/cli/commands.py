"""The `forebay` command: chooses the command, prints errors, sets the exit code."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from importlib import import_module
from typing import Any

from forebay.cli.target import take_pool_details
from forebay.process.outcome import reported

COMMANDS = {
    "compile": "compile a model to a C project",
    "run": "compile a model and run it here",
    "mcu": "build a model for a microcontroller and run it emulated",
    "profile": "print what operators took on a board",
    "budget": "print how few bytes the pools can have, and for how much work",
    "pipeline": "print the pass pipeline for forebay-opt",
    "target": "print a target as MLIR",
    "new-target": "write the files of a new target: description, driver, test",
    "update-constants": "write new values into the weights of a written project",
    "schema": "print the JSON Schema of a document",
    "plan": "plan the memory of a problem file",
}
"""Name and help of each command; its module has the name, too, and `add_arguments`."""


def run(arguments: Sequence[str]) -> int:
    """Run the command line and return its exit code."""
    with reported("forebay", is_debugged="--debug" in arguments) as outcome:
        parser = _parser(arguments)
        given, details = take_pool_details(arguments)
        parsed = parser.parse_args(given)
        if details and not hasattr(parsed, "target_workspace_pools"):
            parser.error("this command takes no target, and so no options of pools")
        parsed.pool_details = details
        outcome.code = parsed.run(parsed)
    return outcome.code


class _Command(argparse.ArgumentParser):
    """A parser without abbreviated options, so that new options change no command line."""

    def __init__(self, **settings: Any) -> None:
        super().__init__(**settings, allow_abbrev=False)
        self.add_argument("--debug", action="store_true", help="show the traceback of an error")


class _Version(argparse.Action):
    """Prints the version, and looks it up only then."""

    def __init__(self, option_strings: Sequence[str], dest: str) -> None:
        super().__init__(option_strings, dest, nargs=0, help="print the version")

    def __call__(self, parser: argparse.ArgumentParser, *_: object) -> None:
        import forebay  # noqa: PLC0415

        print(f"forebay {forebay.__version__}")
        parser.exit()


def _parser(arguments: Sequence[str]) -> argparse.ArgumentParser:
    """Return the parser; only the chosen command is loaded, and has its arguments."""
    parser = argparse.ArgumentParser(
        prog="forebay",
        description="Compile neural networks; put every buffer into a named memory pool.",
    )
    parser.add_argument("--version", action=_Version)
    commands = parser.add_subparsers(required=True, metavar="COMMAND", parser_class=_Command)
    chosen = next((word for word in arguments if not word.startswith("-")), None)
    for name, help_ in COMMANDS.items():
        command = commands.add_parser(name, help=help_)
        if name == chosen:
            import_module(f"forebay.cli.{name.replace('-', '_')}").add_arguments(command)
    return parser
