"""The `forebay` command's entry: the work is done in a process that a signal may end.

Imports next to nothing, so that signals are handled from the first moments on.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence

from forebay.process.signals import block


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line; its exit code as `docs/command-line.md` has them.

    Arguments that are given run in this process; those of `sys.argv` in a process of their own.
    """
    if arguments is not None:
        return _run(arguments)
    mask = block()
    from forebay.process.supervisor import supervise  # noqa: PLC0415

    return supervise("forebay", lambda: _run(sys.argv[1:]), mask)


def _run(arguments: Sequence[str]) -> int:
    from forebay.cli.commands import run  # noqa: PLC0415  (in the worker)

    return run(arguments)


if __name__ == "__main__":
    sys.exit(main())
