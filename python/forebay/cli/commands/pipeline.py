"""`forebay pipeline`: prints the pass pipeline for `forebay-opt`."""

from __future__ import annotations

import argparse
from dataclasses import replace

from forebay.cli.options import add_options, options_of_arguments


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of the command."""
    add_options(parser, has_model=False)
    parser.set_defaults(run=_run)


def _run(arguments: argparse.Namespace) -> int:
    from forebay.pipelines import stages  # noqa: PLC0415

    options = options_of_arguments(arguments)
    print(stages.whole_pipeline(options if options.target else replace(options, target="host")))
    return 0
