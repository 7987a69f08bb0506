"""The progress of a command: its current stage on standard error, if that is a terminal."""

from __future__ import annotations

import sys
from collections.abc import Callable, Generator
from contextlib import contextmanager

ShowStage = Callable[[str], None]
"""Shows the name of the stage that begins."""


@contextmanager
def shown_progress() -> Generator[ShowStage]:
    """Yield a function that shows the current stage; the line disappears at the end of the block.

    The cursor stays visible: a signal may end the process at any moment.
    """
    if not sys.stderr.isatty():
        yield _show_nothing
        return
    from rich.console import Console  # noqa: PLC0415
    from rich.progress import Progress, SpinnerColumn, TextColumn, TimeElapsedColumn  # noqa: PLC0415

    class _Console(Console):
        def show_cursor(self, show: bool = True) -> bool:
            return False

    columns = (
        SpinnerColumn(),
        TextColumn("{task.description}", markup=False),
        TimeElapsedColumn(),
    )
    console = _Console(file=sys.stderr)
    with Progress(*columns, console=console, transient=True, redirect_stdout=False) as progress:
        line = progress.add_task("start", total=None)
        yield lambda stage: progress.update(line, description=stage)


def _show_nothing(_: str) -> None:
    """Show no progress, because standard error is no terminal."""
