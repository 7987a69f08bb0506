"""Run a Python file of the user as a module."""

from __future__ import annotations

import hashlib
import importlib.machinery
import importlib.util
import sys
from collections.abc import Mapping
from pathlib import Path
from types import ModuleType
from typing import Any

from forebay.errors import Error
from forebay.support.user_code import error_summary, location_of


def run_user_file(path: Path, error_class: type[Error]) -> ModuleType:
    """Run the file as a module whose name depends on the file and its content.

    Raises `error_class` where the file cannot be read, and at the line of an exception in it.
    """
    try:
        code = path.read_bytes()
    except OSError as error:
        raise error_class(f"{path}: {error.strerror or error}") from error
    name = f"forebay_user_{path.stem}_{hashlib.sha256(code).hexdigest()[:12]}"
    loader = _Source(name, str(path))
    spec = importlib.util.spec_from_loader(name, loader)
    assert spec is not None, "the loader says whether it is a package"
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    try:
        loader.exec_module(module)
    except Exception as error:
        del sys.modules[name]
        raise error_class(f"{location_of(error) or path}: {error_summary(error)}") from error
    return module


class _Source(importlib.machinery.SourceFileLoader):
    """Compile the file each time.

    The bytecode of Python's cache counts as that of the file if size and time in seconds are equal.
    """

    def path_stats(self, path: str) -> Mapping[str, Any]:
        """Raise `OSError`, without which the cache is read and written."""
        raise OSError(f"{path} has no bytecode in the cache")
