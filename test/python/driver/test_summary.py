"""The summary of a compilation, as a program prints it."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace

from common import networks
from msgspec.structs import replace

import forebay
from forebay.reports.loops import UnoverlappedCode, UnpipelinedLoop


def test_the_summary_is_a_text_with_a_table(digits: Path) -> None:
    lines = forebay.summary(networks.compiled(digits)).splitlines()
    assert lines[0] == "digits_int8: 14 operators, 10,904 bytes of weights"
    assert lines[1].split() == ["pool", "kind", "peak", "lower", "bound", "gap"]
    assert lines[2].split()[:4] == ["workspace", "workspace", "3,072", "3,072"]
    assert lines[3].split()[:4] == ["weights", "constant", "10,904", "10,904"]
    assert " s: import " in lines[-1]


def test_equal_reasons_are_one_line(digits: Path) -> None:
    compiled = networks.compiled(digits)
    code, loop = UnoverlappedCode("fc", "each needs the last"), UnpipelinedLoop("fc", "no room")
    plan = replace(compiled.plan, unoverlapped=(code, code), unpipelined=(loop,))
    seen = SimpleNamespace(
        info=compiled.info, plan=plan, operators=compiled.operators, seconds=compiled.seconds
    )
    assert forebay.summary(seen).splitlines()[-3:-1] == [str(loop), f"{code}, 2 times"]
