import pytest

from forebay.cli.main import main
from forebay.frontends.tflite.table import operator_table


def test_the_table_of_the_page_is_printed(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["operators"]) == 0
    assert capsys.readouterr().out == operator_table()


def test_the_rows_of_some_operators(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["operators", "POW", "SUB"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert [line.split(" | ")[0] for line in lines[2:]] == ["| ADD, SUB", "| POW"]
    assert lines[3].endswith("| LiteRT | 0.1 |")


def test_an_unknown_operator_is_an_error(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["operators", "CONV_9D"]) == 1
    assert "'CONV_9D' is not imported" in capsys.readouterr().err


def test_the_nearest_operator_is_proposed(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["operators", "conv_2d"]) == 1
    assert "'conv_2d' is not imported; did you mean 'CONV_2D'?" in capsys.readouterr().err
