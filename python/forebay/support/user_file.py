"""Run a Python file of the user as a module."""

from __future__ import annotations

import hashlib
import importlib.util
import sys
from pathlib import Path
from types import ModuleType

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
    spec = importlib.util.spec_from_file_location(name, path)
    if spec is None or spec.loader is None:
        raise error_class(f"{path} is not a Python file")
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    try:
        spec.loader.exec_module(module)
    except Exception as error:
        del sys.modules[name]
        raise error_class(f"{location_of(error) or path}: {error_summary(error)}") from error
    return module
