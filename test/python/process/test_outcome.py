import errno

import pytest

from forebay.errors import BugError, Error
from forebay.process.outcome import BUG, INTERRUPTED, reported


class SpecialError(Error):
    """An error of the product."""


class LocatedError(Error):
    """An error whose message does not begin with its location."""

    @property
    def location_text(self) -> str:
        return "net.mlir:3:7"


@pytest.mark.parametrize(
    ("error", "code", "line"),
    [
        (SpecialError("no such pool"), 1, "tool: error: no such pool\n"),
        (
            FileNotFoundError(errno.ENOENT, "No such file", "net"),
            1,
            "tool: error: net: No such file\n",
        ),
        (LocatedError("no such pool"), 1, "tool: error: net.mlir:3:7: no such pool\n"),
        (
            BugError("pass 'p' failed: KeyError: 'x' at p.py:3"),
            70,
            "tool: error: this is a bug of Forebay: pass 'p' failed: KeyError: 'x' at p.py:3. "
            "A report of it needs the command and its files, the traceback that --debug shows, and "
            "what 'forebay doctor' prints\n",
        ),
        (OSError("disk full"), 1, "tool: error: disk full\n"),
        (MemoryError(), 1, "tool: error: there is not enough memory\n"),
        (KeyboardInterrupt(), INTERRUPTED, "tool: interrupted\n"),
        (BrokenPipeError(), 141, ""),
    ],
)
def test_an_exception_is_one_line_and_a_code(
    error: BaseException, code: int, line: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with reported("tool") as outcome:
        raise error
    assert (outcome.code, capsys.readouterr().err) == (code, line)


def test_without_an_exception_the_code_is_that_of_the_block() -> None:
    with reported("tool") as outcome:
        outcome.code = 3
    assert outcome.code == 3


def test_an_error_in_code_of_the_user_names_its_line(capsys: pytest.CaptureFixture[str]) -> None:
    with reported("tool") as outcome:
        raise ZeroDivisionError("in a planner")
    error = capsys.readouterr().err
    assert outcome.code == 1
    assert "test_outcome.py:" in error
    assert error.endswith("ZeroDivisionError: in a planner\n")


def test_other_exceptions_are_bugs(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("forebay.process.outcome.location_of", lambda _: None)
    for is_debugged in (False, True):
        with reported("tool", is_debugged=is_debugged) as outcome:
            raise ZeroDivisionError("inside")
        error = capsys.readouterr().err
        assert outcome.code == BUG == 70
        assert "this is a bug of Forebay: ZeroDivisionError: inside" in error
        assert ("Traceback" in error) == is_debugged
        assert ("the traceback that --debug shows" in error) != is_debugged
