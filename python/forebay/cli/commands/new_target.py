"""`forebay new-target`: the files of a new target, which run as they are."""

from __future__ import annotations

import argparse
from pathlib import Path

from forebay.skeleton.new_target import write_new_target


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.add_argument("name", metavar="NAME", help="of the target, its files and C functions")
    parser.add_argument(
        "-o", "--output", type=Path, metavar="DIR", help="folder of the files; default: NAME"
    )
    parser.set_defaults(run=_run)


def _run(arguments: argparse.Namespace) -> int:
    """Write the files, and say how to use them."""
    folder = Path(arguments.name) if arguments.output is None else arguments.output
    paths = write_new_target(arguments.name, folder)
    target, _, test = paths
    for path in paths:
        print(f"wrote {path}")
    print(f"compile a network: forebay compile net.tflite --target ./{target} --offload-report -")
    print(f"run the test:      python -m pytest {test}")
    return 0
