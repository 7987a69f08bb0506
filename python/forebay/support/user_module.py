"""Python files of users, run as modules: targets, passes and planners."""

from __future__ import annotations

import hashlib
import sys
from pathlib import Path
from types import ModuleType

from forebay.errors import Error


class UnreadableFileError(Error):
    """A Python file that cannot be read."""


def run_file(path: Path) -> ModuleType:
    """Run a Python file and return its module, whose name depends on the file and its content.

    The file runs at each call. Nothing is written beside it. Raises `UnreadableFileError`, and
    whatever the file raises, also `SyntaxError`.
    """
    try:
        source = path.read_bytes()
    except OSError as error:
        raise UnreadableFileError(f"{path}: {error.strerror or error}") from error
    module = ModuleType(f"forebay_user_{path.stem}_{hashlib.sha256(source).hexdigest()[:12]}")
    module.__file__ = str(path)
    # `dataclasses` looks up string annotations in the module of `sys.modules`.
    sys.modules[module.__name__] = module
    try:
        # Without the `from __future__ import annotations` of this file.
        exec(compile(source, str(path), "exec", dont_inherit=True), module.__dict__)
    except BaseException:
        del sys.modules[module.__name__]
        raise
    return module
