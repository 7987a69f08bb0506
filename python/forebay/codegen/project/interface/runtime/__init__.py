"""`forebay_runtime.h`: everything that differs between C compilers, the same in every project.

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
