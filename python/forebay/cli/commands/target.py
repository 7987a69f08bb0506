"""`forebay target`: prints a target as MLIR."""

from __future__ import annotations

import argparse

from forebay.cli.pools import add_pool_arguments, target_argument


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of `forebay target`."""
    parser.add_argument("target", nargs="?", metavar="NAME|FILE|DEVICES", help="default: host")
    add_pool_arguments(parser)
    parser.set_defaults(run=_run)


def _run(arguments: argparse.Namespace) -> int:
    """Print a target as MLIR."""
    from mlir import ir  # noqa: PLC0415

    from forebay import targets  # noqa: PLC0415

    target = targets.load(target_argument(arguments) or "host")
    with ir.Context(), ir.Location.unknown():
        module = ir.Module.create()
        with ir.InsertionPoint(module.body):
            targets.attach(target)
        print(module)
    return 0
