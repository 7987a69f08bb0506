"""Passes of the user's own at every phase, from files, from text, and what is refused."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

import forebay
from forebay.cli import main as cli
from forebay.options import Options
from forebay.options.choices import PHASES
from forebay.options.user_passes import UserPassError, load_file, passes_by_phase
from forebay.pipelines import stages
from forebay.support.option_kinds import OptionError

ROOT = Path(__file__).parents[3]
DIGITS = ROOT / "examples/digits/digits_int8.tflite"

RECORDER = '''
from dataclasses import dataclass
from pathlib import Path

from forebay.passes import Pass, option


@dataclass(frozen=True)
class Recorder(Pass):
    """Append the names of the module's operations to a file."""

    name = "{name}"

    def run(self, op):
        kinds = [type(inner).__name__ for inner in op.regions[0].blocks[0].operations]
        with Path("{log}").open("a") as log:
            log.write("{name}: " + " ".join(kinds) + "\\n")
'''

REFUSER = '''
from forebay.passes import Pass, PassError


class Refuser(Pass):
    """Refuse everything."""

    name = "test-refuser"

    def run(self, op):
        raise PassError(op.location, "this module is not to my liking")
'''


def test_a_pass_at_each_phase_sees_the_whole_module_in_the_order_of_the_road(tmp_path: Path):
    log = tmp_path / "log"
    requests: list[str] = []
    for phase in PHASES:
        file = tmp_path / f"{phase}.py"
        file.write_text(RECORDER.format(name=f"record-{phase}", log=log))
        requests.append(f"{phase}={file}")
    forebay.compile(DIGITS, passes=requests)
    lines = log.read_text().splitlines()
    assert [line.split(":")[0] for line in lines] == [f"record-{phase}" for phase in PHASES]
    assert all("PoolOp" in line and "FuncOp" in line for line in lines)
    assert "GlobalOp" not in lines[2]
    assert "GlobalOp" in lines[3]


def test_the_pipeline_text_names_them():
    options = Options(passes=["before-assign=canonicalize", "before-assign=cse"])
    assert ",canonicalize,cse,memref-pool-assign{" in stages.whole_pipeline(options)


def test_a_file_loaded_anew_runs_as_it_is_now(tmp_path: Path):
    file, log = tmp_path / "mine.py", tmp_path / "log"
    for word in ("first", "second"):
        text = RECORDER.format(name="record-again", log=log)
        file.write_text(text.replace('"record-again: "', f'"{word}: "'))
        forebay.compile(DIGITS, passes=[f"after-plan={file}"])
    assert [line.split(":")[0] for line in log.read_text().splitlines()] == ["first", "second"]


def test_what_a_pass_refuses_is_an_error_at_its_operation(tmp_path: Path):
    file = tmp_path / "refuser.py"
    file.write_text(REFUSER)
    with pytest.raises(forebay.Error, match="this module is not to my liking"):
        forebay.compile(DIGITS, passes=[f"after-bufferize={file}"])


def test_a_plan_that_a_pass_breaks_is_refused(tmp_path: Path):
    file = tmp_path / "breaker.py"
    file.write_text(
        "from forebay.dialects.memref_pool import AllocOp, PlacementAttr\n"
        "from forebay.ir.nested import ops_nested_in\n"
        "from forebay.passes import Pass\n\n\n"
        "class Breaker(Pass):\n"
        '    """Put every buffer to the beginning of its pool."""\n\n'
        '    name = "test-breaker"\n\n'
        "    def run(self, op):\n"
        "        for inner in ops_nested_in(op):\n"
        "            if isinstance(inner, AllocOp):\n"
        "                inner.placement = PlacementAttr.get(inner.placement.pool, 0)\n"
    )
    with pytest.raises(forebay.Error, match="certified at a peak of 3,072 bytes, but takes"):
        forebay.compile(DIGITS, passes=[f"after-plan={file}"])


@pytest.mark.parametrize("request_", ["canonicalize", "soon=canonicalize", "after-plan="])
def test_a_request_that_names_no_phase_lists_them(request_: str):
    with pytest.raises(OptionError, match="before-partition, after-partition, before-assign"):
        passes_by_phase([request_])


def test_files_that_hold_no_pass_are_refused(tmp_path: Path):
    empty, broken, taken = tmp_path / "empty.py", tmp_path / "broken.py", tmp_path / "taken.py"
    empty.write_text("X = 1\n")
    broken.write_text("raise ValueError('no')\n")
    taken.write_text(REFUSER.replace("test-refuser", "memref-pool-plan"))
    for file, message in (
        (tmp_path / "none.py", "none.py: No such file or directory"),
        (empty, "holds no pass: no class derived from forebay.api.passes.Pass"),
        (broken, "broken.py:1: ValueError: no"),
        (taken, "'memref-pool-plan' is the name of a pass that ships with Forebay"),
    ):
        with pytest.raises(UserPassError, match=message):
            load_file(file)


OPTIONS = '''
from dataclasses import dataclass
from forebay.api.passes import Pass, option

@dataclass(frozen=True)
class Options(Pass):
    """Has an option."""

    name = "test-options"
    limit: int = option(10, "a limit")

    def run(self, op):
        """Do nothing."""
'''


@pytest.mark.parametrize(
    ("written", "wrong", "message"),
    [
        ('option(10, "a limit")', "10", "the field 'limit' is no option; write limit: TYPE = "),
        ("@dataclass(frozen=True)", "", "Options has the option 'limit' and is no dataclass; put "),
        ("int", "complex", "<class 'complex'> is no type of an option: bool, int, str"),
    ],
)
def test_a_wrong_option_is_refused_with_what_to_write(
    tmp_path: Path, written: str, wrong: str, message: str
):
    file = tmp_path / "mine.py"
    file.write_text(OPTIONS.replace(written, wrong))
    with pytest.raises(UserPassError, match=f"mine.py: options of pass 'test-options': {message}"):
        load_file(file)


def test_a_name_keeps_the_options_of_its_first_class(tmp_path: Path):
    text = RECORDER.format(name="record-options", log=tmp_path / "log")
    first, second = tmp_path / "first.py", tmp_path / "second.py"
    first.write_text(text)
    second.write_text(
        text.replace("    def run", '    n: int = option(1, "number")\n\n    def run')
    )
    load_file(first)
    with pytest.raises(UserPassError, match="'record-options' with other options"):
        load_file(second)


def test_the_command_takes_passes_and_reports_mistakes(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
):
    example = ROOT / "examples/pass/narrow.py"
    arguments = ["compile", str(DIGITS), "-o", str(tmp_path / "out")]
    assert cli.main([*arguments, "--pass", f"after-bufferize={example}"]) == 0
    capsys.readouterr()
    for pass_ in ("no-such-pass", "accel-pipeline-loops{depth=2}"):
        assert cli.main([*arguments, "--pass", f"after-bufferize={pass_}"]) == 1
        message = capsys.readouterr().err
        assert f"error: '{pass_}' is no Python file, no entry point and no pipeline: " in message
        assert "builtin.module" not in message


def test_the_example_narrows_small_buffers(tmp_path: Path):
    load_file(ROOT / "examples/pass/narrow.py")
    source = tmp_path / "two.mlir"
    source.write_text(
        "memref_pool.pool @dtcm workspace\nmemref_pool.pool @sram workspace\n"
        "func.func @main() {\n"
        "  %0 = memref_pool.alloc : memref<256xi8, #memref_pool.space<[@dtcm, @sram]>>\n"
        "  %1 = memref_pool.alloc : memref<65xi32, #memref_pool.space<[@dtcm, @sram]>>\n"
        "  return\n}\n"
    )
    driver = [sys.executable, "-c", "from forebay.cli.opt import main; main()"]
    done = subprocess.run(
        [
            *driver,
            str(source),
            f"--load-python-passes={ROOT / 'examples/pass/narrow.py'}",
            "--keep-small-buffers-close",
        ],
        capture_output=True,
        text=True,
        check=True,
    )
    assert "memref<256xi8, #memref_pool.space<@dtcm>>" in done.stdout
    assert "memref<65xi32, #memref_pool.space<[@dtcm, @sram]>>" in done.stdout


def test_the_driver_reports_a_file_that_is_not_there():
    driver = [sys.executable, "-c", "from forebay.cli.opt import main; main()"]
    done = subprocess.run(
        [*driver, "--load-python-passes=none.py"], capture_output=True, text=True, check=False
    )
    assert done.returncode == 1
    assert done.stderr == "forebay-opt: error: none.py: No such file or directory\n"
