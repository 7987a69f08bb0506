"""The C compiler of this machine."""

from __future__ import annotations

import os
import shlex
import shutil


def c_compiler_command() -> list[str] | None:
    """Return CC as a command, else cc, gcc or clang from PATH, or None without any of them."""
    chosen = os.environ.get("CC")
    if chosen:
        return shlex.split(chosen)
    for name in ("cc", "gcc", "clang"):
        found = shutil.which(name)
        if found is not None:
            return [found]
    return None
