import pytest

from forebay.doctor import checks
from forebay.doctor.checks import checked_abilities
from forebay.doctor.probe import run_check
from forebay.formats.environment_report import InstalledPackage, InstalledTool

GCC = InstalledTool("gcc", "gcc", "", "/bin/gcc", "1")
NO_QEMU = InstalledTool("qemu", "qemu", "", None, None)
NO_ELF = InstalledPackage("pyelftools", "", "mcu", None, False)


def outcomes(monkeypatch: pytest.MonkeyPatch, failing: str = "") -> dict[str, tuple[str, str]]:
    monkeypatch.setattr(checks, "_error_of", lambda name: "broken" if name == failing else None)
    boards = {"small": ("gcc",), "large": ("gcc", "qemu")}
    found = checked_abilities(boards, [GCC, NO_QEMU], [])
    return {it.name: (it.outcome, it.detail) for it in found}


def test_only_what_is_installed_is_tried(monkeypatch: pytest.MonkeyPatch):
    found = outcomes(monkeypatch, failing="compile, run --engine llvm")
    assert found["compile, run --engine emulator"] == ("works", "")
    assert found["compile, run --engine llvm"] == ("fails", "broken")
    assert found["mcu --board small"] == ("works", "")
    assert found["mcu --board large"] == ("not installed", "there is no qemu")


def test_boards_need_the_packages_of_their_extra(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(checks, "_error_of", lambda _: None)
    found = checked_abilities({"small": ("gcc",)}, [GCC], [NO_ELF])
    assert found[-1].detail == "there is no pyelftools"


def test_no_compiler_is_not_installed_and_no_failure(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(checks, "c_compiler_command", lambda: None)
    assert outcomes(monkeypatch)["compile, run --engine c"][0] == "not installed"


def test_a_check_in_its_own_process_reports_the_error(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("CC", "false")
    error = checks._error_of("compile, run --engine c")
    assert error is not None
    assert "'false" in error
    assert checks._error_of("compile, run --engine llvm") is None


def test_an_engine_is_checked_in_this_process():
    run_check("compile, run --engine emulator")
