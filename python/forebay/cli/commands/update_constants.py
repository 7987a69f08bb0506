"""`forebay update-constants`: writes new values for the weights of a written project."""

from __future__ import annotations

import argparse
from pathlib import Path


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of the command."""
    parser.add_argument(
        "directory", type=Path, metavar="DIR", help="a project written with --weights-blob"
    )
    parser.add_argument(
        "values",
        type=Path,
        metavar="FILE.npz",
        help="arrays named as in <model>_weights.json, of the same types and shapes",
    )
    parser.set_defaults(run=_run)


def _run(arguments: argparse.Namespace) -> int:
    from forebay.codegen.project.update_constants import (  # noqa: PLC0415
        outdated_selftest,
        update_constants,
    )
    from forebay.network.array_files import read_arrays  # noqa: PLC0415

    changed = update_constants(arguments.directory, read_arrays(arguments.values))
    print(f"wrote {', '.join(map(str, changed))}" if changed else "every file has these values")
    selftest = outdated_selftest(arguments.directory)
    if selftest is not None:
        print(
            f"{selftest} expects the outputs of the constants before: it will compare nothing. "
            "For new ones compile the changed model, with --golden if you know its outputs"
        )
    return 0
