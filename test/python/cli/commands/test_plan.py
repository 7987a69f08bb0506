from pathlib import Path

import pytest

from forebay.cli import main as cli

CSV = "id,lower,upper,size\na,0,2,10\nb,1,3,20\nc,2,4,30\n"


def command(*arguments: object) -> int:
    return cli.main(["plan", *map(str, arguments)])


@pytest.fixture
def problem(tmp_path: Path) -> Path:
    file = tmp_path / "net.csv"
    file.write_text(CSV)
    return file


def test_it_prints_peak_bound_and_proof(problem: Path, capsys: pytest.CaptureFixture[str]):
    assert command(problem) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].startswith("net: 3 buffers by 'auto' in ")
    assert lines[2].split() == ["memory", "3", "unlimited", "50", "50", "0.00%"]
    assert lines[3] == "memory: optimal, proved by live bytes; buffers: b, c"


def test_it_writes_the_rows_with_offsets_and_a_picture(problem: Path, tmp_path: Path):
    out, plot = tmp_path / "out.csv", tmp_path / "out.svg"
    assert command(problem, "--planner", "first-fit", "--out", out, "--plot", plot) == 0
    assert out.read_text().splitlines()[1:] == ["a,0,2,10,1,0", "b,1,3,20,1,10", "c,2,4,30,1,30"]
    assert plot.read_text().startswith("<svg")


def test_what_does_not_fit_exits_with_the_explanation(
    problem: Path, capsys: pytest.CaptureFixture[str]
):
    assert command(problem, "--capacity", "memory=49") == 1
    assert capsys.readouterr().err == (
        "forebay: error: pool 'memory' needs 50 bytes but has 49; live: 'b' (20), 'c' (30). "
        "Give the pool 1 byte more, or let a buffer live in another pool.\n"
    )


@pytest.mark.parametrize("kind", ["csv", "json", "mlir"])
def test_a_problem_that_contradicts_itself_is_named(
    kind: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
):
    texts = {
        "csv": "id,lower,upper,size,alignment,offset\na,0,2,8,16,8\n",
        "json": '{"pools": [{"name": "ram"}], "buffers": [{"id": "a", "size": 8, "lower": 0, '
        '"upper": 2, "candidates": ["ram"], "alignment": 16, "pinned_offset": 8}]}',
        "mlir": "memref_pool.problem @net {\n  memref_pool.pool @ram workspace align 16\n"
        "  memref_pool.buffer @a workspace size 8 live [0, 2] in [@ram] pinned @ram offset 8\n}\n",
    }
    file = tmp_path / f"net.{kind}"
    file.write_text(texts[kind])
    assert command(file) == 1
    assert capsys.readouterr().err == (
        f"forebay: error: {file}: buffer 'a' is pinned to offset 8, which is not aligned to 16\n"
    )


def test_capacities_have_units(problem: Path, capsys: pytest.CaptureFixture[str]):
    assert command(problem, "--capacity", "memory=1KiB") == 0
    assert capsys.readouterr().out.splitlines()[2].split()[:3] == ["memory", "3", "1,024"]


def test_wrong_arguments_are_explained(problem: Path, capsys: pytest.CaptureFixture[str]):
    assert command(problem, "--capacity", "ram=49") == 1
    assert capsys.readouterr().err == (
        "forebay: error: --capacity ram=49: there is no pool 'ram'; pools: memory\n"
    )
    assert command(problem.with_name("absent.csv")) == 1
    assert capsys.readouterr().err.endswith("absent.csv: No such file or directory\n")
    assert command(problem, "--planner", "tetris") == 1
    assert capsys.readouterr().err.startswith("forebay: error: there is no planner 'tetris'; known")


def test_a_problem_of_ten_lines_of_ir_is_planned_and_written_back(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
):
    source, out = tmp_path / "case.mlir", tmp_path / "out.mlir"
    source.write_text(
        "memref_pool.problem @net {\n"
        "  memref_pool.pool @fast workspace capacity 64\n"
        "  memref_pool.pool @slow workspace\n"
        "  memref_pool.buffer @a workspace size 64 live [0, 2] in [@fast, @slow]\n"
        "  memref_pool.buffer @b workspace size 48 live [1, 3] in [@fast, @slow]\n"
        "  memref_pool.separate @a, @b bank 7\n"
        "}\n"
    )
    assert command(source, "--planner", "exact", "--out", out) == 0
    text = capsys.readouterr().out.splitlines()
    assert text[0].startswith("net: 2 buffers by 'exact' in ")
    assert text[-2:] == [
        "cost of the choice of pools: 48",
        "penalty of pairs that had better lie apart (1): 0",
    ]
    written = out.read_text()
    assert "in [@fast, @slow] at <@fast, 0>" in written
    assert "in [@fast, @slow] at <@slow, 0>" in written
    assert command(out, "--capacity", "slow=40") == 1
    assert "pool 'slow' needs 48 bytes but has 40" in capsys.readouterr().err


def test_a_csv_becomes_ir(problem: Path, tmp_path: Path):
    out = tmp_path / "net.mlir"
    assert command(problem, "--planner", "first-fit", "--out", out) == 0
    assert (
        "  memref_pool.buffer @c workspace size 30 live [2, 4] in [@memory] at <@memory, 30>\n"
    ) in out.read_text()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--out", "plan.txt"], "plan.txt: needs one of the suffixes .csv, .json, .mlir"),
        (["--plot", "plan.gif"], "plan.gif: needs one of the suffixes .svg, .html, .png"),
        (["--capacity", "memory"], "--capacity memory: write POOL=BYTES"),
        (
            ["--capacity", "memory=-5"],
            "--capacity memory=-5: '-5' is no number of bytes; write 65536, 0x10000, 64K or 64KiB",
        ),
        (["--out", "/absent/plan.csv"], "/absent/plan.csv: there is no directory '/absent'"),
    ],
)
def test_wrong_options_are_explained(
    problem: Path, arguments: list[str], message: str, capsys: pytest.CaptureFixture[str]
):
    assert command(problem, *arguments) == 1
    assert capsys.readouterr().err == f"forebay: error: {message}\n"


def test_a_problem_of_another_kind_is_refused(capsys: pytest.CaptureFixture[str]):
    assert command("net.onnx") == 1
    assert "net.onnx: needs one of the suffixes .csv, .json, .mlir" in capsys.readouterr().err


def test_names_of_several_hundred_characters_are_cut(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
):
    file = tmp_path / "net.csv"
    file.write_text(f"id,lower,upper,size\n{'x' * 300},0,2,10\n")
    assert command(file) == 0
    assert max(map(len, capsys.readouterr().out.splitlines())) < 120
