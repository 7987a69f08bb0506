"""What the command makes of a project: weights as files, new values for them, memory inside."""

import json
import subprocess
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from common.loaded_commands import run_forebay as forebay


def selftest(directory: Path) -> str:
    sources = sorted(path.name for path in directory.glob("*.c"))
    command = ["cc", "-std=c99", "-O1", "-ffp-contract=off", *sources, "-lm", "-o", "selftest"]
    subprocess.run(command, cwd=directory, check=True)
    done = subprocess.run(
        ["./selftest"], cwd=directory, capture_output=True, text=True, check=False
    )
    return done.stdout


@pytest.fixture(scope="module")
def written(digits: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("files")
    result = forebay("compile", digits, "--weights-blob", "-o", "out", cwd=folder)
    assert result.returncode == 0, result.stderr
    return folder / "out"


def test_weights_as_files_are_no_part_of_the_code(written: Path) -> None:
    assert not (written / "digits_int8_weights.c").exists()
    assert selftest(written) == "digits_int8: all outputs are as expected\n"


def test_new_values_reach_the_outputs(written: Path, tmp_path: Path) -> None:
    manifest = json.loads((written / "digits_int8_weights.json").read_text())
    (pool,) = manifest["pools"]
    bias = next(c for c in pool["constants"] if c["name"].endswith("bias"))
    file = written / pool["file"]
    data = file.read_bytes()
    old = np.frombuffer(data, "<i4", bias["size"] // 4, bias["offset"]).reshape(bias["shape"])
    np.savez(tmp_path / "new.npz", **{bias["name"]: old + 100_000})
    result = forebay("update-constants", written, tmp_path / "new.npz", cwd=tmp_path)
    assert result.returncode == 0, result.stderr
    assert result.stdout.splitlines() == [
        f"wrote {file}",
        f"{written}/digits_int8_selftest.c expects the outputs of the constants before: it will "
        "compare nothing. For new ones compile the changed model, with --golden if you know its "
        "outputs",
    ]
    assert selftest(written) == (
        "digits_int8_weights.bin has other constants than the expected outputs are for:\n"
        "nothing is compared\n"
    )
    np.savez(tmp_path / "old.npz", **{bias["name"]: old})
    restored = forebay("update-constants", written, tmp_path / "old.npz", cwd=tmp_path)
    assert restored.stdout == f"wrote {file}\n"
    assert file.read_bytes() == data


def test_a_project_with_new_values_may_be_compiled_again(written: Path, digits: Path) -> None:
    manifest = json.loads((written / "digits_int8_weights.json").read_text())
    bias = next(c for c in manifest["pools"][0]["constants"] if c["name"].endswith("bias"))
    np.savez(written.parent / "zero.npz", **{bias["name"]: np.zeros(bias["shape"], np.int32)})
    forebay("update-constants", written, "../zero.npz", cwd=written)
    again = forebay("compile", digits, "--weights-blob", "-o", written, cwd=written)
    assert again.returncode == 0, again.stderr  # the new values were forebay's, too
    assert selftest(written) == "digits_int8: all outputs are as expected\n"


def test_unknown_constants_are_refused(written: Path, tmp_path: Path) -> None:
    np.savez(tmp_path / "new.npz", nothing=np.zeros(1))
    result = forebay("update-constants", written, tmp_path / "new.npz", cwd=tmp_path)
    assert result.returncode == 1
    assert "no constant 'nothing'; constants: " in result.stderr


def test_a_manifest_that_cannot_be_read_is_named_with_the_reason(tmp_path: Path) -> None:
    (tmp_path / "net_weights.json").write_text('{"format": ')
    np.savez(tmp_path / "new.npz", a=np.zeros(1))
    result = forebay("update-constants", tmp_path, tmp_path / "new.npz", cwd=tmp_path)
    assert result.returncode == 1
    assert "has 0 manifests of constants, not one (" in result.stderr
    assert "net_weights.json: not JSON: line 1, column 12" in result.stderr


def test_memory_inside(digits: Path, tmp_path: Path) -> None:
    result = forebay("compile", digits, "--internal-pools", "-o", "out", cwd=tmp_path)
    assert result.returncode == 0, result.stderr
    header = (tmp_path / "out" / "digits_int8.h").read_text()
    assert "digits_int8_status digits_int8_run(const int8_t *image, int8_t *scores);" in header
    assert selftest(tmp_path / "out") == "digits_int8: all outputs are as expected\n"


def test_memory_inside_that_the_application_must_fill_is_refused(
    digits: Path, tmp_path: Path
) -> None:
    flags = ("--internal-pools", "--weights-blob", "-o", "out")
    result = forebay("compile", digits, *flags, cwd=tmp_path)
    assert result.returncode == 1
    assert "the application fills weights, and must know where that is" in result.stderr
    assert not (tmp_path / "out").exists()


def test_values_in_the_order_of_the_model_are_interleaved(digits: Path, tmp_path: Path) -> None:
    for name, cpu in (("plain", "generic"), ("fast", "cortex-m55")):
        options = ("--weights-blob", "--cpu", cpu, "-o", name)
        assert forebay("compile", digits, *options, cwd=tmp_path).returncode == 0
    (plain, plan), (fast, other_plan) = (listed(tmp_path / name) for name in ("plain", "fast"))
    ((offset, first),) = ((at, own) for at, own in fast.items() if own["interleaved"] > 1)
    assert (first["interleaved"], first["shape"]) == (8, [16, 3, 3, 1])
    buffers = json.loads((tmp_path / "fast" / "digits_int8.json").read_text())["buffers"]
    assert {own["member"]: own["interleaved"] for own in buffers if "interleaved" in own} == {
        first["name"]: 8
    }
    values = {at: values_of(tmp_path / "plain", own) for at, own in plain.items()}
    stored = values_of(tmp_path / "fast", first).ravel()
    assert stored[:8].tolist() == [values[offset][channel, 0, 0, 0] for channel in range(8)]
    # The same values are the same file. Biases differ from the other project's, where sources are
    # padded and zero points are part of them.
    same = {own["name"]: values_of(tmp_path / "fast", own) for own in fast.values()}
    np.savez(tmp_path / "same.npz", **same | {first["name"]: values[offset]})
    unchanged = forebay("update-constants", "fast", "same.npz", cwd=tmp_path)
    assert (unchanged.returncode, unchanged.stdout) == (0, "every file has these values\n")
    assert plan != other_plan


def test_values_are_interleaved_in_words(digits: Path, tmp_path: Path) -> None:
    plain, words = plain_and_words(digits, tmp_path)
    buffers = json.loads((tmp_path / "words" / "digits_int8.json").read_text())["buffers"]
    in_map = [own for own in buffers if "interleaved_word" in own]
    ordered = {name: own for name, own in words.items() if "interleaved_word" in own}
    assert {own["member"] for own in in_map} == {*ordered} and len(ordered) == 5
    for own in (*in_map, *ordered.values()):
        assert (own["interleaved"], own["interleaved_word"]) == (16, 4)
    header = (tmp_path / "words" / "digits_int8_weights.h").read_text()
    same = {name: own for name, own in ordered.items() if own["shape"] == plain[name]["shape"]}
    assert len(same) == 4
    values = {name: values_of(tmp_path / "plain", plain[name]) for name in same}
    for name, own in same.items():
        stored = values_of(tmp_path / "words", own).ravel()
        rows = values[name].reshape(own["shape"][0], -1)
        # The first four elements of 16 channels, and then the next four.
        assert stored[:64].tolist() == rows[:16, :4].ravel().tolist()
        assert stored[64:128].tolist() == rows[:16, 4:8].ravel().tolist()
        line = next(text for text in header.splitlines() if f" {name}[" in text)
        assert line.endswith(", 16 channels interleaved in words of 4 */")
    np.savez(tmp_path / "same.npz", **values)
    unchanged = forebay("update-constants", "words", "same.npz", cwd=tmp_path)
    assert (unchanged.returncode, unchanged.stdout) == (0, "every file has these values\n")
    name, own = next(iter(same.items()))
    np.savez(tmp_path / "other.npz", **{name: values[name][::-1]})
    assert forebay("update-constants", "words", "other.npz", cwd=tmp_path).returncode == 0
    stored = values_of(tmp_path / "words", own).ravel()
    assert stored[:4].tolist() == values[name][-1].ravel()[:4].tolist()


def test_weights_of_a_wider_window_have_the_shape_of_the_model(
    digits: Path, tmp_path: Path
) -> None:
    plain, words = plain_and_words(digits, tmp_path)
    ((name, own),) = ((name, own) for name, own in words.items() if "model_shape" in own)
    assert (own["shape"], own["model_shape"]) == ([16, 3, 4, 1], [16, 3, 3, 1])
    values = values_of(tmp_path / "plain", plain[name])
    for given in (values, np.pad(values, [(0, 0), (0, 0), (0, 1), (0, 0)])):
        np.savez(tmp_path / "same.npz", **{name: given})
        unchanged = forebay("update-constants", "words", "same.npz", cwd=tmp_path)
        assert (unchanged.returncode, unchanged.stdout) == (0, "every file has these values\n")
    np.savez(tmp_path / "other.npz", **{name: values[:, :, 1:]})
    refused = forebay("update-constants", "words", "other.npz", cwd=tmp_path)
    assert refused.returncode == 1 and f"constant '{name}' is int8[16, 3, 4, 1]" in refused.stderr


@pytest.mark.parametrize("shape", [[16, 3, 5, 1], [16, 9]])
def test_a_shape_that_is_no_part_of_the_constant_is_refused(
    digits: Path, tmp_path: Path, shape: list[int]
) -> None:
    _, words = plain_and_words(digits, tmp_path)
    (name,) = (name for name, own in words.items() if "model_shape" in own)
    path = tmp_path / "words" / "digits_int8_weights.json"
    manifest = json.loads(path.read_text())
    (changed,) = (own for own in manifest["pools"][0]["constants"] if own["name"] == name)
    changed["model_shape"] = shape
    path.write_text(json.dumps(manifest))
    np.savez(tmp_path / "new.npz", **{name: np.zeros(shape, np.int8)})
    refused = forebay("update-constants", "words", "new.npz", cwd=tmp_path)
    assert refused.returncode == 1
    assert f"of constant '{name}' do not agree; write the project again" in refused.stderr


def plain_and_words(digits: Path, folder: Path) -> tuple[dict[str, Any], dict[str, Any]]:
    """Write the projects `plain` and `words`, and return the constants of both by name."""
    for name, cpu in (("plain", "generic"), ("words", "cascadelake")):
        options = ("--weights-blob", "--cpu", cpu, "-o", name)
        assert forebay("compile", digits, *options, cwd=folder).returncode == 0
    plain, words = (listed(folder / name)[0].values() for name in ("plain", "words"))
    return {own["name"]: own for own in plain}, {own["name"]: own for own in words}


def listed(project: Path) -> tuple[dict[int, dict[str, Any]], str]:
    """Return the constants of a manifest by their offsets, and its plan."""
    manifest = json.loads((project / "digits_int8_weights.json").read_text())
    (pool,) = manifest["pools"]
    return {constant["offset"]: constant for constant in pool["constants"]}, manifest["plan"]


def values_of(project: Path, constant: dict[str, Any]) -> np.ndarray:
    """Return the elements of a constant in the order of the file."""
    data = (project / "digits_int8_weights.bin").read_bytes()
    own = data[constant["offset"] : constant["offset"] + constant["size"]]
    return np.frombuffer(own, constant["type"]).reshape(constant["shape"])
