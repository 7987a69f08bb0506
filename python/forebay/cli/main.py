"""Entry point of the `forebay` command, which runs the work in a child process.

A signal ends the child process. This module imports very little, so that signals are handled early.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence

from forebay.process.signals import block


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line and return its exit code, see `docs/command-line.md`.

    With `arguments` the work runs in this process; without them, on `sys.argv`, in a child process.
    """
    if arguments is not None:
        return _run(arguments)
    mask = block()
    from forebay.process.supervisor import supervise  # noqa: PLC0415

    return supervise("forebay", lambda: _run(sys.argv[1:]), mask)


def _run(arguments: Sequence[str]) -> int:
    from forebay.cli.parser import run  # noqa: PLC0415  (in the worker)

    return run(arguments)


if __name__ == "__main__":
    sys.exit(main())
