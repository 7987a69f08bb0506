"""Claims about `forebay budget`."""

from __future__ import annotations

import json

import forebay
from forebay.cli.parser import run


def test_every_reported_budget_works(request, tmp_path, capsys):
    digits = request.config.rootpath / "examples/digits/digits_int8.tflite"
    report, picture = tmp_path / "b.json", tmp_path / "b.svg"
    arguments = ["--points", "3", "--json", str(report), "--plot", str(picture)]
    assert run(["budget", str(digits), *arguments]) == 0
    (pool,) = json.loads(report.read_text())["pools"]
    peaks = [plan["peak"] for plan in pool["plans"]]
    assert peaks == sorted(peaks, reverse=True)
    assert f"{peaks[-1]:,}" in capsys.readouterr().out
    assert picture.read_text().startswith("<svg")
    assert forebay.compile(digits).plan.peak("workspace") == peaks[0]
    for peak in (peaks[1], peaks[-1]):
        assert forebay.compile(digits, budget=peak).plan.peak("workspace") <= peak


def test_a_file_that_cannot_be_written_is_refused_first(request, tmp_path, capsys):
    digits = request.config.rootpath / "examples/digits/digits_int8.tflite"
    assert run(["budget", str(digits), "--json", str(tmp_path / "none" / "b.json")]) != 0
    assert "none" in capsys.readouterr().err
