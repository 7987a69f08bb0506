import csv
import json
from pathlib import Path

import pytest
from common.documents.sweep_records import RECORDS

from forebay.errors import Error
from forebay.sweep.table_file import require_table_file, write_table


def test_csv_has_a_column_per_parameter_option_and_pool(tmp_path: Path):
    write_table(RECORDS, tmp_path / "t.csv")
    rows = list(csv.DictReader((tmp_path / "t.csv").read_text().splitlines()))
    head = ["network", "target", "parameter.size", "parameter.mode", "planner", "budget"]
    assert list(rows[0])[:7] == [*head, "option.slots"]
    assert (rows[0]["peak.ram"], rows[0]["lower_bound.ram"], rows[1]["peak.ram"]) == (
        "64",
        "60",
        "",
    )
    assert rows[1]["reason"] == "no room, at all"


def test_parquet_has_the_same_columns(tmp_path: Path):
    parquet = pytest.importorskip("pyarrow.parquet", reason="forebay[sweep] is not installed")
    write_table(RECORDS, tmp_path / "t.parquet")
    table = parquet.read_table(tmp_path / "t.parquet")
    assert table.column("workspace").to_pylist() == [64, None]
    assert table.column("parameter.mode").to_pylist() == ["1", "x"]
    assert table.column("outcome").to_pylist() == ["planned", "refused"]


def test_json_lines_are_the_records(tmp_path: Path):
    write_table(RECORDS, tmp_path / "t.jsonl")
    lines = (tmp_path / "t.jsonl").read_text().splitlines()
    assert [json.loads(line)["key"] for line in lines] == ["1", "2"]


def test_other_files_are_refused(tmp_path: Path):
    with pytest.raises(Error, match=r"needs one of the suffixes .parquet, .csv, .jsonl"):
        require_table_file(tmp_path / "t.xlsx")
    with pytest.raises(Error, match="there is no directory"):
        require_table_file(tmp_path / "none" / "t.csv")
