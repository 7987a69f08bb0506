"""Entry points of `forebay-opt` and `forebay-lsp-server`: upstream's drivers with the dialects."""

import sys

from forebay.process.signals import block


def main() -> None:
    """Run `mlir-opt`'s main on the command line, in a child process that a signal may end.

    All of its flags also apply to Forebay's passes. `--load-python-passes=FILE.py`, repeatable,
    registers the passes in a file of the user.
    """

    mask = block()
    from forebay.process.supervisor import supervise  # noqa: PLC0415

    def command() -> int:
        from forebay.cli.opt_driver import run  # noqa: PLC0415  (MLIR is loaded in the worker)

        return run(sys.argv)

    sys.exit(supervise("forebay-opt", command, mask, own_group=False))


def lsp_server_main() -> None:
    """Serve editors over stdin and stdout, as `mlir-lsp-server` does."""
    from forebay.cli.opt_driver import serve  # noqa: PLC0415

    serve(sys.argv)
