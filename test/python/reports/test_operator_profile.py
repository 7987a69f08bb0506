"""Hooks around operators in the C, and the table of what a program with hooks printed."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest
from common import networks
from common.toolchain import require

import forebay
from forebay.cli import main as cli
from forebay.formats.memory_map import MemoryMap
from forebay.formats.reading import read_file
from forebay.reports.operator_profile import ProfileError, profile_parts, read_log
from forebay.reports.table import plain_text

EXAMPLE = Path(__file__).parents[3] / "examples" / "operator_cycles"
HOOK = re.compile(r"FOREBAY_OPERATOR_(BEGIN|END)\((\d+)u\);")


@pytest.fixture(scope="module")
def project(digits: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    directory = tmp_path_factory.mktemp("hooks") / "out"
    return networks.compiled(digits).write(directory, operator_hooks=True)


def log(directory: Path, text: str) -> Path:
    path = directory / "log.txt"
    path.write_text(text)
    return path


def test_hooks_are_around_each_operator(digits: Path, project: Path) -> None:
    found = HOOK.findall((project / "digits_int8.c").read_text())
    operators = [
        str(operator.index)
        for operators in networks.compiled(digits).functions.values()
        for operator in operators
    ]
    assert found == [(end, index) for index in operators for end in ("BEGIN", "END")]
    assert (project / "digits_int8.c").read_text().count("    FOREBAY_INFERENCE_BEGIN();\n") == 1


def test_the_memory_map_lists_the_operators_with_hooks(digits: Path, project: Path) -> None:
    source = (project / "digits_int8.c").read_text()
    listed = read_file(project / "digits_int8.json", MemoryMap).operators
    assert {str(it.index) for it in listed if it.hooks is True} == {
        index for _, index in HOOK.findall(source)
    }
    without = networks.compiled(digits).memory_map.operators
    assert not any(it.hooks is True for it in without)


def test_without_the_option_the_c_has_no_hooks(digits: Path, tmp_path: Path) -> None:
    project = networks.compiled(digits).write(tmp_path / "out")
    source = (project / "digits_int8.c").read_text()
    assert "FOREBAY_OPERATOR" not in source
    assert "FOREBAY_INFERENCE" not in source


@pytest.mark.parametrize("is_defined", [False, True])
def test_the_example_prints_what_the_command_reads(
    project: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], is_defined: bool
) -> None:
    program = tmp_path / "selftest"
    sources = [*map(str, sorted(project.glob("*.c"))), str(EXAMPLE / "hooks.c")]
    hooks = ['-DFOREBAY_HOOKS="hooks.h"'] if is_defined else []
    flags = ["-std=c99", "-Wall", "-Wextra", "-pedantic", "-Werror", f"-I{EXAMPLE}", *hooks]
    subprocess.run([require("cc"), *flags, *sources, "-lm", "-o", str(program)], check=True)
    done = subprocess.run([program], capture_output=True, text=True, check=True)
    assert "all outputs are as expected" in done.stdout
    printed = log(tmp_path, done.stdout)
    assert cli.main(["profile", str(printed), str(project)]) == (0 if is_defined else 1)
    streams = capsys.readouterr()
    if is_defined:
        assert "0 CONV_2D" in streams.out
        assert "has no count" not in streams.out
        assert len(read_log(printed)) == 1
    else:
        assert "no line 'forebay-operator INDEX COUNT'" in streams.err


def test_parts_of_an_operator_are_added(project: Path, tmp_path: Path) -> None:
    text = (
        "boot\nforebay-inference\nforebay-operator 0 70\nforebay-operator 0 5\n"
        "forebay-operator 1 25\nforebay-inference\nforebay-operator 0 90\n"
    )
    printed = plain_text(profile_parts(read_log(log(tmp_path, text)), project))
    rows = [line.split() for line in printed.splitlines()]
    assert rows[1][0] == "0"
    assert rows[1][-2:] == ["75", "75.0%"]
    assert rows[3] == ["total", "100", "100.0%"]
    assert rows[4][-3:] == ["90", "to", "100"]


def full_log(project: Path, line: str = "{}\n") -> str:
    operators = range(len(HOOK.findall((project / "digits_int8.c").read_text())) // 2)
    lines = ["forebay-inference", *(f"forebay-operator {index} 10" for index in operators)]
    return "".join(line.format(text) for text in lines)


@pytest.mark.parametrize("line", ["{}\n", "{}\r\n", "[00:01.250] uart0: {} \r\n"])
def test_lines_may_have_a_prefix_and_any_end(project: Path, tmp_path: Path, line: str) -> None:
    path = tmp_path / "log.txt"
    path.write_bytes(full_log(project, line).encode())
    assert profile_parts(read_log(path), project) == profile_parts(
        read_log(log(tmp_path, full_log(project))), project
    )


def test_an_inference_without_all_operators_is_named(project: Path, tmp_path: Path) -> None:
    complete = full_log(project)
    cut = complete[: complete.index("forebay-operator 1 ")]
    whole = profile_parts(read_log(log(tmp_path, complete)), project)
    parts = profile_parts(read_log(log(tmp_path, complete + cut)), project)
    assert parts[0] == whole[0]
    count = complete.count("operator")
    assert f"inference 2 has no count of {count - 1} of {count} operators" in str(parts[-1])
    assert "the first is 1 DEPTHWISE_CONV_2D" in str(parts[-1])
    assert "the log is cut" in str(parts[-1])


def test_a_project_without_hooks_is_refused(digits: Path, tmp_path: Path) -> None:
    project = networks.compiled(digits).write(tmp_path / "out")
    with pytest.raises(ProfileError, match="no hooks; compile with --operator-hooks"):
        profile_parts(read_log(log(tmp_path, "forebay-operator 0 1")), project)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("forebay-operator 3", r"log.txt:1: not 'forebay-operator INDEX COUNT'"),
        ("\nforebay-operator 0 -5", r"log.txt:2: not "),
        ("forebay-operator 0 " + "9" * 5000, r"log.txt:1: not .*'forebay-operator 0 9{41}'$"),
        ("forebay-inference 2", r"log.txt:1: not "),
        ("nothing", r"no line 'forebay-operator INDEX COUNT'"),
        ("forebay-operator 99 5", r"no operator 99: the log is of another network"),
    ],
)
def test_a_wrong_log_is_refused(project: Path, tmp_path: Path, text: str, message: str) -> None:
    with pytest.raises(ProfileError, match=message):
        profile_parts(read_log(log(tmp_path, text)), project)


def test_a_directory_without_a_project_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ProfileError, match="no directory with one C project"):
        profile_parts(read_log(log(tmp_path, "forebay-operator 0 1")), tmp_path)


def test_objects_have_no_hooks(digits: Path, tmp_path: Path) -> None:
    with pytest.raises(forebay.Error, match="no macros around its operators"):
        networks.compiled(digits).write(tmp_path / "out", emit="obj", operator_hooks=True)
    assert not (tmp_path / "out").exists()
