"""The `forebay` command: chooses the command, prints errors, sets the exit code."""

from __future__ import annotations

import argparse
from collections.abc import Collection, Sequence
from importlib import import_module

from forebay.cli.pools import take_pool_details
from forebay.cli.usage import CommandParser
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
    "sweep": "compile networks under many configurations, into a table",
    "share": "put several compiled networks into one image",
    "update-constants": "write new values into the weights of a written project",
    "schema": "print the JSON Schema of a document",
    "operators": "print the TFLite operators that are imported",
    "plan": "plan the memory of a problem file",
    "view": "show a plan as one HTML page",
    "doctor": "print what is installed and check what works",
    "completion": "print the completion of a shell",
}
"""Name and help of each command; its module in `commands` has the name and `add_arguments`."""


def run(arguments: Sequence[str]) -> int:
    """Run the command line and return its exit code."""
    with reported("forebay", is_debugged="--debug" in arguments) as outcome:
        parsed = _parsed(arguments)
        outcome.code = parsed.run(parsed)
    return outcome.code


def parser_of(commands: Collection[str]) -> CommandParser:
    """Return the parser with all names of commands, and the arguments of `commands` only.

    A command that is not among them is not loaded.
    """
    return _made(commands)[0]


def _parsed(arguments: Sequence[str]) -> argparse.Namespace:
    """Parse the command line; a usage error ends the program."""
    given, details = take_pool_details(arguments)
    at = next((i for i, word in enumerate(given) if not word.startswith("-")), len(given))
    parser, commands = _made(given[at : at + 1])
    command = commands.get("".join(given[at : at + 1]), parser)
    parser.require_known_options(given[:at], command)
    if command is not parser:
        command.require_known_options(given[at + 1 :])
    parsed, rest = parser.parse_known_args(given)
    if rest:
        command.error(f"unexpected argument '{rest[0]}'")
    if details and not hasattr(parsed, "target_workspace_pools"):
        command.error("this command takes no target, and so no options of pools")
    parsed.pool_details = details
    return parsed


class _Version(argparse.Action):
    """Prints the version, and looks it up only then."""

    def __init__(self, option_strings: Sequence[str], dest: str) -> None:
        super().__init__(option_strings, dest, nargs=0, help="print the version")

    def __call__(self, parser: argparse.ArgumentParser, *_: object) -> None:
        import forebay  # noqa: PLC0415

        print(f"forebay {forebay.__version__}")
        parser.exit()


def _made(commands: Collection[str]) -> tuple[CommandParser, dict[str, CommandParser]]:
    """Return the parser, and that of each command."""
    parser = CommandParser(
        prog="forebay",
        description="Compile neural networks; put every buffer into a named memory pool.",
    )
    parser.add_argument("--version", action=_Version)
    added = parser.add_subparsers(required=True, metavar="COMMAND", parser_class=CommandParser)
    parsers: dict[str, CommandParser] = {}
    for name, help_ in COMMANDS.items():
        command = parsers[name] = added.add_parser(name, help=help_)
        command.add_argument("--debug", action="store_true", help="show the traceback of an error")
        if name in commands:
            module = import_module(f"forebay.cli.commands.{name.replace('-', '_')}")
            module.add_arguments(command)
    return parser, parsers
