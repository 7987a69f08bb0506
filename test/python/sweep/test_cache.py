from pathlib import Path

from msgspec.structs import replace

from forebay.formats.sweep_file import SweepMeasures
from forebay.sweep import cache as cache_module
from forebay.sweep.cache import RecordCache, cache_folder, key_of
from forebay.sweep.evaluate import record_of
from forebay.sweep.study import Configuration


def configuration(folder: Path) -> Configuration:
    (folder / "net.mlir").write_text("1")
    (folder / "npu.py").write_text("2")
    return Configuration(
        network="net.mlir",
        model=str(folder / "net.mlir"),
        target="npu.py",
        target_text=f"{folder}/npu.py:size=4",
        parameters={"size": 4},
        planner="auto",
        budget=None,
        options={},
        measure=SweepMeasures(),
    )


def test_a_key_changes_with_every_input(tmp_path: Path, monkeypatch):
    one = configuration(tmp_path)
    keys = {key_of(one)}
    for change in (
        {"parameters": {"size": 5}},
        {"planner": "first-fit"},
        {"budget": "min"},
        {"options": {"slots": 1}},
        {"measure": SweepMeasures(cycles=True)},
    ):
        keys.add(key_of(replace(one, **change)))
    for name in ("net.mlir", "npu.py", "imported.py"):
        (tmp_path / name).write_text("other")
        cache_module._file_digest.cache_clear()
        keys.add(key_of(one))
    monkeypatch.setattr(cache_module, "source_digest", lambda: "another version")
    keys.add(key_of(one))
    assert len(keys) == 1 + 5 + 3 + 1


def test_a_key_does_not_depend_on_the_folder(tmp_path: Path):
    keys: set[str] = set()
    for name in ("a", "b"):
        (tmp_path / name).mkdir()
        keys.add(key_of(configuration(tmp_path / name)))
    assert len(keys) == 1


def test_a_damaged_record_counts_as_missing(tmp_path: Path):
    records = RecordCache(tmp_path)
    record = record_of(configuration(tmp_path), "0" * 64, outcome="planned", workspace=3)
    records.mark_started(record.key)
    assert records.take_started([record.key]) == [record.key]
    assert records.take_started([record.key]) == []
    records.store(record)
    assert records.load(record.key) == record
    (path,) = tmp_path.glob("00/*.json")
    path.write_text(path.read_text()[:40])
    assert records.load(record.key) is None


def test_the_default_folder_is_the_user_s_cache(monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", "/x")
    assert cache_folder() == Path("/x/forebay/sweep")
