"""The summary of a compilation, as a program prints it."""

from __future__ import annotations

from pathlib import Path

from common import networks

import forebay


def test_the_summary_is_a_text_with_a_table(digits: Path) -> None:
    lines = forebay.summary(networks.compiled(digits)).splitlines()
    assert lines[0] == "digits_int8: 14 operators, 10,904 bytes of weights"
    assert lines[1].split() == ["pool", "kind", "peak", "lower", "bound", "gap"]
    assert lines[2].split()[:4] == ["workspace", "workspace", "3,072", "3,072"]
    assert lines[3].split()[:4] == ["weights", "constant", "10,904", "10,904"]
    assert " s: import " in lines[-1]
