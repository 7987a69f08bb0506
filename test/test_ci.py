"""`.ci/run` on a README with other commands: what it runs, sums up and fails for."""

import os
import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PASSED = "40 passed, 2 skipped in 3.10s"


def readme(tests: str, slow_tests: str) -> str:
    blocks = {"tests": tests, "slow tests": slow_tests}
    return "".join(f"<!-- {n} -->\n```sh\n{text}\n```\ntext\n" for n, text in blocks.items())


def ci(folder: Path, text: str) -> subprocess.CompletedProcess[str]:
    """Run the script beside this README, where all packages are installed."""
    (folder / ".ci").mkdir()
    shutil.copy(ROOT / ".ci" / "run", folder / ".ci" / "run")
    (folder / "README.md").write_text(text)
    (folder / "bin").mkdir()
    (folder / "bin" / "dpkg").symlink_to(shutil.which("true") or "/bin/true")
    return subprocess.run(
        [folder / ".ci" / "run"],
        env={**os.environ, "PATH": f"{folder / 'bin'}:{os.environ['PATH']}"},
        capture_output=True,
        text=True,
        check=False,
    )


def test_the_readme_has_both_commands() -> None:
    text = (ROOT / "README.md").read_text()
    (tests,) = (line for line in text.splitlines() if line.endswith('pytest -n 2 -q -m "not slow"'))
    (slow,) = (line for line in text.splitlines() if line.endswith("pytest -n 2 -q -m slow"))
    assert f"<!-- tests -->\n```sh\n{tests}\n```\n" in text
    assert f"<!-- slow tests -->\n```sh\n{slow}\n```\n" in text


def test_the_last_line_is_the_sum_of_both_commands(tmp_path: Path) -> None:
    done = ci(tmp_path, readme(f"echo {PASSED}", "echo '2 passed, 1 warning in 61.00s (0:01:01)'"))
    assert done.stdout.splitlines()[-1] == "42 passed, 0 failed, 2 skipped"
    assert (done.returncode, done.stderr) == (0, "")


def test_both_commands_use_one_environment(tmp_path: Path) -> None:
    first, second = f"mkdir .venv; echo {PASSED}", f"rmdir .venv && echo {PASSED}"
    done = ci(tmp_path, readme(first, second))
    assert done.stdout.splitlines()[-1] == "80 passed, 0 failed, 4 skipped"
    assert done.returncode == 0
    assert not (tmp_path / ".venv").exists()


@pytest.mark.parametrize("number", [0, 1])
def test_a_failure_of_either_command_fails_the_run(number: int, tmp_path: Path) -> None:
    commands = [f"echo {PASSED}", f"echo {PASSED}"]
    commands[number] = "echo 1 failed, 3 passed, 2 errors in 0.05s; false"
    done = ci(tmp_path, readme(*commands))
    assert done.stdout.splitlines()[-1] == "43 passed, 3 failed, 2 skipped"
    assert done.returncode == 1


def test_a_command_without_a_summary_fails_the_run(tmp_path: Path) -> None:
    done = ci(tmp_path, readme(f"echo {PASSED}", "true"))
    assert "did not end with pytest's summary" in done.stderr
    assert done.stdout.splitlines()[-1] == "40 passed, 0 failed, 2 skipped"
    assert done.returncode == 1


@pytest.mark.parametrize("name", ["tests", "slow tests"])
def test_a_readme_without_a_command_is_refused(name: str, tmp_path: Path) -> None:
    text = readme(f"echo {PASSED}", f"echo {PASSED}").replace(f"<!-- {name} -->", "<!-- gone -->")
    done = ci(tmp_path, text)
    assert done.returncode == 1
    assert f"behind the line '<!-- {name} -->'" in done.stderr
    assert done.stdout == ""
