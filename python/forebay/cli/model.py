"""The arguments of the commands that take a model, and the compilation of that model."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

from forebay.cli.options import add_options, options_of_arguments
from forebay.cli.progress import ShowStage

if TYPE_CHECKING:
    from forebay.driver.compiled import Compiled


def add_model(parser: argparse.ArgumentParser, help_: str = "a .tflite or .mlir file") -> None:
    """Declare the model and the options of a compilation."""
    parser.add_argument("model", type=Path, metavar="MODEL", help=help_)
    add_options(parser, has_model=True)


def compiled(arguments: argparse.Namespace, show_stage: ShowStage) -> Compiled:
    """Compile the model; call `show_stage` with the name of each stage."""
    from forebay import targets  # noqa: PLC0415  (MLIR is loaded only by the commands that need it)
    from forebay.driver.compiler import compile_with  # noqa: PLC0415

    with targets.once():
        return compile_with(arguments.model, options_of_arguments(arguments, show_stage))
