"""`forebay-opt` and `forebay-lsp-server`: upstream's drivers with our dialects and passes."""

import os
import sys
from collections.abc import Sequence
from pathlib import Path

from mlir._mlir_libs import get_dialect_registry

import forebay.passes  # noqa: F401  # pyright: ignore[reportUnusedImport]  (registers)
from forebay._libs import _forebay
from forebay.errors import Error

LOAD = "--load-python-passes="


def main() -> None:
    """Run `mlir-opt`'s main on the command line; all of its flags serve Forebay's passes too.

    `--load-python-passes=FILE.py`, repeatable, registers the passes in a file of the user's own.
    """
    try:
        _load([a.removeprefix(LOAD) for a in sys.argv[1:] if a.startswith(LOAD)])
    except Error as error:
        sys.exit(f"forebay-opt: error: {error}")
    arguments = [argument for argument in sys.argv if not argument.startswith(LOAD)]
    _leave(_forebay.opt_main(arguments, get_dialect_registry()))


def _load(paths: Sequence[str]) -> None:
    """Register the passes in files of the user's own."""
    if not paths:
        return
    from forebay.pipelines.user import load_file  # noqa: PLC0415  (40 ms that few runs need)

    for path in paths:
        load_file(Path(path))


def lsp_server_main() -> None:
    """Serve editors over stdin and stdout, as `mlir-lsp-server` does."""
    _leave(_forebay.lsp_server_main(sys.argv, get_dialect_registry()))


def _leave(status: int) -> None:
    """Exit without tearing down Python's view of contexts that the driver has already destroyed."""
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(status)
