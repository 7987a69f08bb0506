from __future__ import annotations

from pathlib import Path

import pytest

import forebay
from forebay.cli.main import main
from forebay.planning import Buffer, Pool, Problem, live, write_problem


@pytest.fixture(scope="module")
def project(digits: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return forebay.compile(digits).write(tmp_path_factory.mktemp("digits"), golden=())


def test_a_model_and_its_project_have_one_page(
    digits: Path, project: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    pages = [tmp_path / "model.html", tmp_path / "project.html"]
    for source, path in zip((digits, project), pages, strict=True):
        assert main(["view", str(source), "-o", str(path)]) == 0
        assert f"wrote {path}: open it in a browser" in capsys.readouterr().out
    assert pages[0].read_text() == pages[1].read_text()


def test_an_emulated_run_is_the_timeline(digits: Path, tmp_path: Path) -> None:
    page = tmp_path / "p.html"
    arguments = ["--target", "fetch_conv", "--emulate", "-o", str(page)]
    assert main(["view", str(digits), *arguments]) == 0
    assert '"lanes":["host","accel"]' in page.read_text()


def test_kernels_of_the_host_have_a_length_by_their_rate(digits: Path, tmp_path: Path) -> None:
    page = tmp_path / "p.html"
    assert main(["view", str(digits), "--emulate", "--host-rate", "0.5", "-o", str(page)]) == 0
    assert '"waits":false' in page.read_text()
    assert '"lanes":["host"]' in page.read_text()


def test_a_problem_in_mlir_is_no_model(tmp_path: Path) -> None:
    problem = tmp_path / "p.json"
    write_problem(Problem((Pool("m"),), (Buffer("a", 8, live(0, 2), ("m",)),), name="p"), problem)
    assert main(["plan", str(problem), "--out", str(tmp_path / "p.mlir")]) == 0
    assert main(["view", str(tmp_path / "p.mlir"), "-o", str(tmp_path / "p.html")]) == 0
    assert '"name":"a"' in (tmp_path / "p.html").read_text()


def test_options_of_a_compilation_need_a_model(
    project: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    page = str(tmp_path / "p.html")
    assert main(["view", str(project), "--emulate", "-o", page]) == 1
    assert "--emulate needs a model" in capsys.readouterr().err
    assert not (tmp_path / "p.html").exists()


def test_two_plans(project: Path, tmp_path: Path) -> None:
    page = tmp_path / "p.html"
    assert main(["view", str(project), "--against", str(project), "-o", str(page)]) == 0
    assert '"difference":{"pools":[' in page.read_text()


@pytest.mark.parametrize("missing", ["none", "none.json", "none.tflite"])
def test_a_plan_that_is_not_there(
    missing: str, project: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / missing
    for arguments in ([str(path)], [str(project), "--against", str(path)]):
        assert main(["view", *arguments, "-o", str(tmp_path / "p.html")]) == 1
        expected = f"forebay: error: {path}: there is no such file or directory\n"
        assert capsys.readouterr().err == expected
    assert list(tmp_path.iterdir()) == []
