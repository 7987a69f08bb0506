"""`forebay operators`: prints which TFLite operators are imported, as in `docs/operators.md`."""

from __future__ import annotations

import argparse

from forebay.cli.usage import nearest_of
from forebay.errors import Error


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of the command."""
    parser.add_argument(
        "operators", nargs="*", metavar="NAME", help="TFLite's names; default: all operators"
    )
    parser.set_defaults(run=_run)


def _run(arguments: argparse.Namespace) -> int:
    from forebay.frontends.tflite.lowering.registry import documented  # noqa: PLC0415
    from forebay.frontends.tflite.table import operator_table  # noqa: PLC0415

    wanted: list[str] = arguments.operators
    known = {name for row in documented() for name in row.operators}
    for name in wanted:
        if name not in known:
            hint = nearest_of(name.upper(), known) or "; `forebay operators` lists all that are"
            raise Error(f"'{name}' is not imported{hint}")
    print(operator_table(wanted), end="")
    return 0
