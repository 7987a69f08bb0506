"""Room for Python's frames."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from forebay.process.frames import call_with_room


def mapped_pages() -> int:
    """Pages of this process's address space."""
    return int(Path("/proc/self/statm").read_text().split()[0])


def pages_by_depth(depth: int) -> int:
    """Pages that are mapped while this function has called itself `depth` times."""
    return pages_by_depth(depth - 1) if depth else mapped_pages()


def growth() -> int:
    """Pages that 500 more frames map."""
    pages_by_depth(500)  # what a first read allocates
    return pages_by_depth(500) - pages_by_depth(0)


@pytest.mark.skipif(sys.version_info < (3, 11), reason="frames are objects of the heap")
@pytest.mark.skipif(sys.platform != "linux", reason="/proc")
def test_deep_calls_map_no_memory() -> None:
    assert growth() > 0
    assert call_with_room(growth) == 0


def test_the_result_and_the_exception_are_those_of_the_function() -> None:
    def fail() -> None:
        raise ValueError("no")

    returned: Callable[[], str] = lambda: "yes"  # noqa: E731
    assert call_with_room(returned) == "yes"
    with pytest.raises(ValueError, match="no"):
        call_with_room(fail)
