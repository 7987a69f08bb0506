"""The command's options of a compilation, from the fields of `Options`."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from typing import Any

from forebay.cli.pools import add_pool_arguments, target_argument
from forebay.options import Options
from forebay.options.option_class import Flag, Option, options_in
from forebay.options.options import Progress
from forebay.support.option_kinds import OptionError


def add_options(parser: argparse.ArgumentParser, *, has_model: bool) -> None:
    """Add the options of a compilation, and those of pools; some options need a model."""
    for item in _spelled(has_model=has_model):
        _add(parser, item)
        if item.name == "target":
            add_pool_arguments(parser)


def options_of_arguments(
    arguments: argparse.Namespace, progress: Progress | None = None
) -> Options:
    """Return the options of a command line; raise `Error` for an invalid one."""
    values = fields_of(arguments, Options)
    values |= {"target": target_argument(arguments), "progress": progress}
    return Options(**values)


def add_fields(parser: argparse.ArgumentParser, made: type) -> None:
    """Add all options of a class that the command spells."""
    for item in options_in(made):
        if item.flag is not None:
            _add(parser, item)


def fields_of(arguments: argparse.Namespace, made: type) -> dict[str, Any]:
    """Return the options of a class that a command line has, by name."""
    given = vars(arguments)
    return {item.name: given[item.name] for item in options_in(made) if item.name in given}


def _spelled(*, has_model: bool) -> list[Option]:
    return [
        item
        for item in options_in(Options)
        if item.flag is not None and (has_model or not item.flag.needs_model)
    ]


def _add(parser: argparse.ArgumentParser, item: Option) -> None:
    flag = item.flag or Flag()
    settings: dict[str, Any] = {"dest": item.name, "help": item.help}
    if item.is_switch:
        settings["action"] = "store_true"
    elif item.choices is not None:
        settings |= {"choices": item.choices, "default": item.default}
    elif flag.repeatable:
        settings |= {"action": "append", "default": [], "metavar": flag.metavar}
        settings |= {"help": f"{item.help}; repeatable", "type": _parser_of(item, flag)}
    else:
        settings |= {"default": item.default, "metavar": flag.metavar}
        settings |= {"type": _parser_of(item, flag)}
    parser.add_argument(flag.name or f"--{item.name.replace('_', '-')}", **settings)


def _parser_of(item: Option, flag: Flag) -> Callable[[str], object]:
    """Return what converts one argument; argparse reports its error with the name of the flag."""

    def parse(text: str) -> object:
        if flag.split is not None:
            return text.split(flag.split)
        if flag.parse is not None:
            return flag.parse(text)
        return text if item.kind is None else item.kind.checked(item.name, item.kind.parse(text))

    def reported(text: str) -> object:
        try:
            return parse(text)
        except OptionError as error:
            raise argparse.ArgumentTypeError(str(error)) from error

    return reported
