"""`forebay_runtime.h`: everything that differs between C compilers, the same in every project.

The other headers here have functions on vectors: one header per instruction set.

Internal: may change without notice.
"""

from __future__ import annotations

from pathlib import Path

RUNTIME_HEADER = "forebay_runtime.h"
RUNTIME_VERSION = 1
"""The value of FOREBAY_RUNTIME_VERSION in the file."""


def runtime_header() -> str:
    """Return the text of the file."""
    return (Path(__file__).parent / RUNTIME_HEADER).read_text("utf-8")


def instruction_set_header(name: str) -> str:
    """Return the text of a header with functions on vectors."""
    return (Path(__file__).parent / name).read_text("utf-8")
