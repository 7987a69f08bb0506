import io
import sys

import pytest

from forebay.reports.table import ReportPart, TextTable, plain_text, show

TABLE = TextTable(
    ["pool", "bytes", "because"],
    [
        ["l2_mem", "1,024", "a reason of several words"],
        ["[red]x[/red]:smile:", "8", ""],
        ["内存", "16", "y"],
    ],
    numbers=(1,),
)


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def shown_on_a_terminal(monkeypatch: pytest.MonkeyPatch, columns: int, *parts: ReportPart) -> str:
    monkeypatch.delenv("FORCE_COLOR", raising=False)
    monkeypatch.setenv("COLUMNS", str(columns))
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setattr(sys, "stdout", Terminal())
    show(parts)
    return sys.stdout.getvalue()


def test_columns_are_aligned_and_texts_are_no_markup(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("FORCE_COLOR", "1")
    monkeypatch.setenv("COLUMNS", "20")
    assert plain_text(["head", TABLE, "", "tail"]).splitlines() == [
        "head",
        "pool                 bytes  because",
        "l2_mem               1,024  a reason of several words",
        "[red]x[/red]:smile:      8",
        "内存                    16  y",
        "",
        "tail",
    ]


def test_plain_text_has_lines_of_any_length():
    row = ["n" * 5000, "1", "r " * 5000]
    text = plain_text([TextTable(["", "", ""], [row])])
    assert max(map(len, text.splitlines())) > 14_000


def test_without_rows_the_head_is_printed():
    assert plain_text([TextTable(["a", "b"], [])]) == "a  b"


def test_what_is_no_terminal_gets_plain_text(capsys: pytest.CaptureFixture[str]):
    show([TABLE, "end"])
    assert capsys.readouterr().out == plain_text([TABLE, "end"]) + "\n"


def test_a_terminal_gets_a_bold_head(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.delenv("NO_COLOR", raising=False)
    text = shown_on_a_terminal(monkeypatch, 80, "[red]line[/red]", TABLE)
    assert text.startswith("[red]line[/red]\n\x1b[1mpool")


def test_a_narrow_terminal_keeps_numbers_crops_names_and_wraps_reasons(
    monkeypatch: pytest.MonkeyPatch,
):
    monkeypatch.setenv("NO_COLOR", "1")
    table = TextTable(TABLE.head, TABLE.rows[:2], TABLE.numbers)
    lines = shown_on_a_terminal(monkeypatch, 32, table).splitlines()
    assert [line.rstrip() for line in lines[1:]] == [
        "l2_mem       1,024  a reason of",
        "                    several",
        "                    words",
        "[red]x[/re…      8",
    ]


def test_a_very_narrow_terminal_still_shows_names_and_numbers(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("NO_COLOR", "1")
    lines = shown_on_a_terminal(monkeypatch, 15, TABLE).splitlines()
    assert "l2_mem  1,024  " in lines
    assert all(len(line) <= 15 for line in lines)
