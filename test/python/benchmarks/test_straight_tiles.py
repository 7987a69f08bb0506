"""The work behind bufferization grows with the number of straight tiles, not with its square."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import pytest

from forebay.ir.plan_check.memory.shadow_memory import PlacedBytes

BENCHMARKS = Path(__file__).parents[3] / "benchmarks"


@pytest.fixture
def benchmark(monkeypatch: pytest.MonkeyPatch) -> Iterator[ModuleType]:
    monkeypatch.syspath_prepend(BENCHMARKS)
    import straight_tiles

    yield straight_tiles
    for name in ("straight_tiles", "assignment", "measurement.counting"):
        monkeypatch.delitem(sys.modules, name)


def test_twice_the_tiles_are_twice_the_calls(
    benchmark: ModuleType, capsys: pytest.CaptureFixture[str]
) -> None:
    assert benchmark.main(["--tiles", "40", "80"]) == 0
    rows = [line.split() for line in capsys.readouterr().out.splitlines()]
    assert [row[0] for row in rows[-2:]] == ["40", "80"]


def test_work_that_is_quadratic_is_found(
    benchmark: ModuleType, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As if the plan check compared each write with every buffer."""
    from forebay.ir.plan_check.memory import shadow_memory

    write = shadow_memory.ShadowMemory.write

    def slow(self: shadow_memory.ShadowMemory[object], buffer: int, where: object) -> None:
        places: list[PlacedBytes] = list(self._places)  # pyright: ignore[reportPrivateUsage]
        for place in places:
            place.overlaps(places[buffer])
        write(self, buffer, where)

    monkeypatch.setattr(shadow_memory.ShadowMemory, "write", slow)
    assert benchmark.main(["--tiles", "40", "80"]) == 1
