"""Every `.mlir` file below this folder is a lit test of its own, and so one of pytest's.

lit runs inside of this process, and `forebay-opt` in forks of a process that has loaded it: a new
process for each of them takes longer than most of the tests.
"""

import os
from functools import cache
from pathlib import Path

import pytest
from common.loaded_commands import commands
from lit.discovery import find_tests_for_inputs
from lit.LitConfig import LitConfig
from lit.Test import PASS

ROOT = Path(__file__).parent
FILES = sorted(
    path.relative_to(ROOT).as_posix()
    for path in ROOT.rglob("*.mlir")
    if path.relative_to(ROOT).parts[0] not in ("python", "_build")
)


@cache
def _configuration() -> LitConfig:
    """What lit's command makes of `lit -v`."""
    return LitConfig(
        progname="lit",
        path=[],
        diagnostic_level="note",
        useValgrind=False,
        valgrindLeakCheck=False,
        valgrindArgs=[],
        noExecute=False,
        debug=False,
        isWindows=os.name == "nt",
        order="smart",
        params={},
    )


@pytest.mark.parametrize("name", FILES)
def test_lit(name: str, tmp_path: Path) -> None:
    configuration = _configuration()
    (test,) = find_tests_for_inputs(configuration, [str(ROOT / name)])
    test.suite.exec_root = str(tmp_path)
    path = test.config.environment["PATH"]
    test.config.environment["PATH"] = os.pathsep.join([str(commands()), path])
    result = test.config.test_format.execute(test, configuration)
    assert result.code is PASS, f"{result.code.name}\n{result.output}"


def test_there_are_lit_tests() -> None:
    assert FILES
