"""`forebay-opt` and `forebay-lsp-server`: upstream's drivers with our dialects and passes."""

import os
import sys
from pathlib import Path

from mlir._mlir_libs import get_dialect_registry

import forebay.passes  # noqa: F401  # pyright: ignore[reportUnusedImport]  (registers)
from forebay._libs import _forebay
from forebay.errors import Error
from forebay.pipelines.user import load_file

LOAD = "--load-python-passes="


def main() -> None:
    """Run `mlir-opt`'s main on the command line; all of its flags serve Forebay's passes too.

    `--load-python-passes=FILE.py`, repeatable, registers the passes in a file of the user's own.
    """
    try:
        for argument in sys.argv[1:]:
            if argument.startswith(LOAD):
                load_file(Path(argument.removeprefix(LOAD)))
    except Error as error:
        sys.exit(f"forebay-opt: error: {error}")
    arguments = [argument for argument in sys.argv if not argument.startswith(LOAD)]
    _leave(_forebay.opt_main(arguments, get_dialect_registry()))


def lsp_server_main() -> None:
    """Serve editors over stdin and stdout, as `mlir-lsp-server` does."""
    _leave(_forebay.lsp_server_main(sys.argv, get_dialect_registry()))


def _leave(status: int) -> None:
    """Exit without tearing down Python's view of contexts that the driver has already destroyed."""
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(status)
