"""Networks in one image: their bits in any order, and what is refused."""

from __future__ import annotations

import ctypes
import json
import re
import shutil
import subprocess
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest

import forebay
from forebay.cli.main import main
from forebay.formats.image_map import ImageMap
from forebay.formats.reading import read_file

STRICT = [
    "-std=c99",
    "-O2",
    "-ffp-contract=off",
    "-Wall",
    "-Wextra",
    "-Wconversion",
    "-Wcast-qual",
    "-Wshadow",
]
Folders = Callable[..., list[Path]]


def built(image: Path, *leave_out: str) -> ctypes.CDLL:
    """The image as a library, without self-tests."""
    sources = [
        path.name
        for path in sorted(image.glob("*.c"))
        if not path.stem.endswith("_selftest") and path.name not in leave_out
    ]
    objects = [path.name for path in sorted(image.glob("*.o"))]
    command = ["cc", *STRICT, "-shared", "-fPIC", *sources, *objects, "-lm"]
    subprocess.run([*command, "-o", "image.so"], cwd=image, check=True)
    return ctypes.CDLL(str(image / "image.so"))


def run(library: ctypes.CDLL, network: forebay.Compiled, value: np.ndarray) -> np.ndarray:
    name = network.info.name
    result = np.empty(network.outputs[0].shape, network.outputs[0].dtype)
    pools = ctypes.byref(ctypes.c_char.in_dll(library, f"{name}_default_pools"))
    run_network = getattr(library, f"{name}_run")
    error = None  # the last parameter of networks with devices
    assert (
        run_network(
            pools,
            value.ctypes.data_as(ctypes.c_void_p),
            result.ctypes.data_as(ctypes.c_void_p),
            error,
        )
        == 0
    )
    return result


@pytest.mark.parametrize("concurrent", [False, True])
def test_interleaved_runs_have_the_bits_of_each_network_alone(
    concurrent: bool, compiled: dict[str, forebay.Compiled], folders: Folders, tmp_path: Path
):
    image = tmp_path / "image"
    forebay.share_projects(folders(*compiled), image, concurrent=concurrent)
    library = built(image)
    pools = ctypes.byref(ctypes.c_char.in_dll(library, "best_so_far_default_pools"))
    assert library.best_so_far_init(pools) == 0
    compiled["best_so_far"].reset(engine="emulator")
    generator = np.random.default_rng(7)
    for name in generator.permutation([*compiled] * 6).tolist():
        network = compiled[name]
        port = network.inputs[0]
        value = generator.integers(-100, 100, port.shape).astype(port.dtype)
        alone = network.run(value, engine="emulator")
        np.testing.assert_array_equal(run(library, network, value), alone, name)


def test_workspaces_overlap_or_are_added_up(folders: Folders, tmp_path: Path):
    names = ("first", "large", "best_so_far")
    turns = forebay.share_projects(folders(*names), tmp_path / "turns")
    together = forebay.share_projects(folders(*names), tmp_path / "together", concurrent=True)
    (alternating,) = (it for it in turns.memories if it.kind == "workspace")
    (added,) = (it for it in together.memories if it.kind == "workspace")
    peaks = [pool.size for pool in alternating.pools]
    assert alternating.size == max(peaks)
    assert added.size >= sum(peaks) == alternating.alone
    ranges = sorted((it.offset, it.offset + it.size) for it in added.pools)
    assert all(end <= begin for (_, end), (begin, _) in pairwise(ranges))
    assert read_file(tmp_path / "turns/turns.json", ImageMap) == turns


def test_equal_constants_are_stored_once(folders: Folders, tmp_path: Path):
    found = forebay.share_projects(folders("first", "second"), tmp_path / "image")
    (memory,) = (it for it in found.memories if it.kind == "constant")
    shared = [it for it in memory.constants if len(it.used_by) == 2]
    assert 256 in {it.size for it in shared}
    assert memory.alone - memory.size >= sum(it.size for it in shared) > 0
    assert len(memory.constants) == 3 + len([it for it in shared if it.size != 256])


def test_the_self_tests_of_all_networks_pass_in_the_image(folders: Folders, tmp_path: Path):
    if shutil.which("cmake") is None:
        pytest.skip("there is no cmake in PATH")
    forebay.share_projects(folders("first", "best_so_far"), tmp_path / "image")
    for command in (["-S", "image", "-B", "build"], ["--build", "build"]):
        subprocess.run(["cmake", *command], cwd=tmp_path, check=True, capture_output=True)
    done = subprocess.run(
        ["ctest", "--test-dir", "build"], cwd=tmp_path, check=True, capture_output=True, text=True
    )
    assert re.search(r"100% tests passed(, 0 tests failed)? out of 2", done.stdout)


def test_constants_that_a_network_loads_are_in_memory_once(digits: Path, tmp_path: Path):
    copy = tmp_path / "copy.tflite"
    copy.write_bytes(digits.read_bytes())
    networks = [forebay.compile(path, target="fetch_conv") for path in (digits, copy)]
    written = [it.write(tmp_path / it.info.name) for it in networks]
    found = forebay.share_projects(written, tmp_path / "image")
    memories = {it.name: it for it in found.memories}
    assert memories["wei_mem"].size * 2 == memories["wei_mem"].alone
    assert memories["act_mem"].size * 2 == memories["act_mem"].alone
    library = built(tmp_path / "image", "copy_reference.c")  # one driver for both
    generator = np.random.default_rng(3)
    for network in networks * 2:
        name = network.info.name
        pools = ctypes.byref(ctypes.c_char.in_dll(library, f"{name}_default_pools"))
        assert getattr(library, f"{name}_init")(pools) == 0
        value = generator.integers(-128, 128, network.inputs[0].shape).astype(np.int8)
        alone = network.run(value, engine="emulator")
        np.testing.assert_array_equal(run(library, network, value), alone)


def test_a_memory_that_is_too_small_is_refused_with_names_and_bytes(
    folders: Folders, tmp_path: Path, capsys: pytest.CaptureFixture[str]
):
    arguments = [str(it) for it in folders("first", "large")]
    output = tmp_path / "image"
    assert main(["share", *arguments, "-o", str(output), "--capacity", "workspace=90"]) == 1
    error = capsys.readouterr().err
    assert "pool 'workspace' needs" in error
    assert "'large'" in error
    assert main(["share", *arguments, "-o", str(output), "--capacity", "weights=5000"]) == 1
    error = capsys.readouterr().err
    assert "pool 'weights' needs 5,120 bytes but has 5,000" in error
    assert "'first' (512), 'large' (4,608)" in error
    assert not output.exists()
    assert main(["share", *arguments, "-o", str(output), "--capacity", "ram=2K"]) == 1
    assert "there is no pool 'ram'; pools: " in capsys.readouterr().err


def test_the_command_prints_the_bytes(folders: Folders, tmp_path: Path, capsys):
    arguments = [str(it) for it in folders("first", "second")]
    assert main(["share", *arguments, "-o", str(tmp_path / "both")]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == "both: first, second"
    assert lines[1].split() == ["pool", "kind", "bytes", "without", "sharing", "saved"]
    assert json.loads((tmp_path / "both/both.json").read_text())["name"] == "both"


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda it: (it / "forebay-manifest.json").unlink(), "is not a folder that 'forebay comp"),
        (lambda it: (it / "first.c").unlink(), "first.c: No such file"),
        (lambda it: (it / "first_weights.bin").write_bytes(b"1"), "its bytes are not those that"),
        (lambda it: (it / "first.json").write_text("{}"), "compile the model again"),
        (lambda it: (it / "forebay_runtime.h").write_text("1"), "different versions of Forebay"),
    ],
)
def test_a_folder_that_is_not_as_it_was_written_is_refused(
    change: Callable[[Path], object], message: str, folders: Folders, tmp_path: Path
):
    first, second = folders("first", "second")
    mine = tmp_path / "mine"
    shutil.copytree(first, mine)
    change(mine)
    with pytest.raises(forebay.Error, match=message):
        forebay.share_projects([mine, second], tmp_path / "image")
    assert not (tmp_path / "image").exists()


def test_networks_that_cannot_be_told_apart_are_refused(folders: Folders, tmp_path: Path):
    first, second = folders("first", "second")
    with pytest.raises(forebay.Error, match="2 networks have the prefix 'first'"):
        forebay.share_projects([first, first], tmp_path / "image")
    with pytest.raises(forebay.Error, match="has the name of the network 'first'"):
        forebay.share_projects([first, second], tmp_path / "first")
    with pytest.raises(forebay.Error, match="at least two networks"):
        forebay.share_projects([first], tmp_path / "image")


def test_pools_inside_the_code_are_refused(
    compiled: dict[str, forebay.Compiled], folders: Folders, tmp_path: Path
):
    (second,) = folders("second")
    inside = compiled["first"].write(tmp_path / "inside", internal_pools=True)
    with pytest.raises(forebay.Error, match="compile it without --internal-pools"):
        forebay.share_projects([inside, second], tmp_path / "image")


def test_objects_share_constants_with_c(
    compiled: dict[str, forebay.Compiled],
    folders: Folders,
    tmp_path: Path,
):
    image = tmp_path / "image"
    first = compiled["first"].write(tmp_path / "first", emit="obj")
    written = [first, *folders("second", "large", "best_so_far")]
    found = forebay.share_projects(written, image)
    (memory,) = (it for it in found.memories if it.kind == "constant")
    shared = [it for it in memory.constants if len(it.used_by) == 2]
    assert [it.size for it in shared if it.name.startswith("first_")].count(256) == 1
    assert memory.alone - memory.size >= 256
    (whole,) = (it for it in memory.constants if it.name == "first_image")
    assert all(whole.offset <= it.offset < whole.offset + whole.size for it in shared)
    library = built(image)
    generator = np.random.default_rng(7)
    for name in ("second", "first", "large", "second"):
        value = generator.integers(-100, 100, compiled[name].inputs[0].shape).astype(np.float32)
        alone = compiled[name].run(value, engine="emulator")
        np.testing.assert_array_equal(run(library, compiled[name], value), alone, name)


def test_cmake_translates_llvm_ir_of_a_network(
    compiled: dict[str, forebay.Compiled], folders: Folders, tmp_path: Path
):
    image = tmp_path / "image"
    first = compiled["first"].write(tmp_path / "first", emit="llvm")
    forebay.share_projects([first, *folders("second")], image)
    text = (image / "CMakeLists.txt").read_text()
    assert "first_network.ll needs LLVM's llc: set FOREBAY_LLC" in text
    assert "target_sources(image PRIVATE ${CMAKE_CURRENT_BINARY_DIR}/first_network.o)" in text
    assert (image / "first_network.ll").exists()


def test_files_of_the_user_are_kept(folders: Folders, tmp_path: Path):
    image = tmp_path / "image"
    forebay.share_projects(folders("first", "second"), image)
    (image / "mine.c").write_text("mine")
    forebay.share_projects(folders("second", "large"), image)
    assert (image / "mine.c").read_text() == "mine"
    assert not (image / "first.c").exists()
    (image / "image.h").write_text("changed")
    with pytest.raises(forebay.Error, match="was changed since forebay wrote it"):
        forebay.share_projects(folders("first", "second"), image)


def test_budgets_of_networks_are_no_capacity_of_the_memory(
    shared_models: Path, tmp_path: Path
) -> None:
    """The larger of two smallest plans is above the budget of the other network."""
    rows = {"kws_dscnn_int8": ["input_1"], "resnet8_int8": []}
    peaks: list[int] = []
    for name, inputs in rows.items():
        path = shared_models / f"{name}.tflite"
        compiled = forebay.compile(path, budget="min", input_rows=inputs)
        compiled.write(tmp_path / name)
        peaks.append(compiled.plan.peak("workspace"))
    image = tmp_path / "image"
    assert main(["share", *(str(tmp_path / name) for name in rows), "-o", str(image)]) == 0
    (workspace,) = (
        memory
        for memory in read_file(image / "image.json", ImageMap).memories
        if memory.name == "workspace"
    )
    assert (workspace.size, workspace.capacity) == (max(peaks), None)
    sources = [*(f"{name}.c" for name in rows), "image_pools.c", "image_weights.c"]
    for name in rows:
        command = ["cc", *STRICT, *sources, f"{name}_selftest.c", "-lm", "-o", "selftest"]
        subprocess.run(command, cwd=image, check=True)
        subprocess.run(["./selftest"], cwd=image, check=True)
