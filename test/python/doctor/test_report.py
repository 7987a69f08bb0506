import json

import pytest

from forebay.cli.main import main
from forebay.doctor import checks, report
from forebay.formats.environment_report import EnvironmentReport
from forebay.formats.reading import read_file


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(checks, "_error_of", lambda _: None)


def test_the_command_prints_versions_and_writes_the_document(tmp_path, capsys):
    file = tmp_path / "d.json"
    assert main(["doctor", "--json", str(file)]) == 0
    output = capsys.readouterr().out
    assert "forebay 0." in output
    assert "xtc-mlir-python-bindings  22.1.8.4" in output
    found = read_file(file, EnvironmentReport)
    assert found.checks[0].outcome == "works"
    assert json.loads(file.read_text())["format"] == "forebay-environment-report"


def test_a_failure_gives_exit_code_1(monkeypatch, capsys):
    monkeypatch.setattr(checks, "_error_of", lambda name: "no" if "llvm" in name else None)
    assert main(["doctor"]) == 1
    assert "compile, run --engine llvm" in capsys.readouterr().out


def test_without_mlir_the_packages_are_reported_all_the_same(monkeypatch):
    def refused() -> None:
        raise ImportError("libLLVM.so")

    monkeypatch.setattr("forebay.doctor.tools.installed_tools", refused)
    monkeypatch.setattr(checks, "_error_of", lambda _: "ImportError: libLLVM.so")
    found = report.environment_report()
    assert report.is_broken(found)
    assert found.tools == ()
    assert len(found.packages) > 5
