"""Networks that many tests only read, run or write, compiled once per process."""

from functools import cache
from pathlib import Path
from typing import Any

import forebay


@cache
def compiled(model: Path, **options: Any) -> forebay.Compiled:
    """Return the compiled network of a file that does not change while the tests run.

    A test that changes what it compiles, or asserts what only a new compilation shows, compiles by
    itself. A network with state is to be reset first.
    """
    return forebay.compile(model, **options)
