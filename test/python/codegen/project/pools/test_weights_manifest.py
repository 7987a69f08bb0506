"""Constants outside of the image: a file per pool, its manifest, and new values at old offsets."""

from __future__ import annotations

import ctypes
import dataclasses
import hashlib
import json
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from common.models.fully_connected import X
from mlir import ir
from numpy.typing import NDArray

from forebay.codegen.project.project import write_project
from forebay.codegen.project.update_constants import ConstantsError, update_constants
from forebay.engines.c import C_LIBRARY_FLAGS, build_library
from forebay.network.engine import aligned_bytes
from forebay.network.errors import CodegenError
from forebay.network.model import ModelInfo, PlannedPool
from forebay.network.packaging import with_internal_pools, with_weights_blob
from forebay.pools import PoolKind

Network = tuple[ir.Module, ModelInfo]
Reference = Callable[[NDArray[np.int8]], NDArray[np.int8]]
BIAS = np.array([100, -200, 300, 4], np.int32)
WEIGHTS = np.array([[1, 2, 3], [4, -5, 6], [7, 8, 9], [10, 11, 127]], np.int8)


@pytest.fixture
def project(fully_connected: Network, tmp_path: Path) -> Path:
    module, model = fully_connected
    return write_project(module, with_weights_blob(model), tmp_path / "out")


def run(directory: Path, model: ModelInfo) -> NDArray[np.int8]:
    """What an application does: build the code, load the file, run."""
    library = directory.parent / "network.so"
    build_library(directory, model, [], library, C_LIBRARY_FLAGS)
    network = ctypes.CDLL(str(library))
    workspace, weights = aligned_bytes(64, 16), aligned_bytes(32, 16)
    weights[:] = np.fromfile(directory / "tiny_net_weights.bin", np.uint8)
    pools = (ctypes.c_size_t * 4)(workspace.ctypes.data, 64, weights.ctypes.data, 32)
    y = np.zeros((2, 4), np.int8)
    arguments = [ctypes.c_void_p(array.ctypes.data) for array in (X, y)]
    assert network.tiny_net_run(ctypes.byref(pools), *arguments) == 0
    return y


def expected(weights: NDArray[np.int8], bias: NDArray[np.int32]) -> NDArray[np.int8]:
    acc = (X.astype(np.int64) - 3) @ weights.T.astype(np.int64) + bias
    rounded = acc * 2**30 + 2**32 + np.where(acc >= 0, 2**30, -(2**30))
    return np.clip(rounded >> 33, -128, 127).astype(np.int8)


def test_new_values_give_new_outputs_with_the_same_code(
    fully_connected: Network, project: Path
) -> None:
    model = with_weights_blob(fully_connected[1])
    before = {path: path.read_bytes() for path in project.iterdir() if path.suffix in (".c", ".h")}
    np.testing.assert_array_equal(run(project, model), expected(WEIGHTS, BIAS))
    weights = np.random.default_rng(0).integers(-128, 128, (4, 3), np.int8)
    assert update_constants(project, {"w": weights}) == (project / "tiny_net_weights.bin",)
    (project.parent / "network.so").unlink()  # ctypes must not find the old one
    np.testing.assert_array_equal(run(project, model), expected(weights, BIAS))
    assert {path: path.read_bytes() for path in before} == before


def test_manifest_tells_where_every_constant_lies(project: Path) -> None:
    manifest = json.loads((project / "tiny_net_weights.json").read_text())
    (pool,) = manifest["pools"]
    data = (project / pool["file"]).read_bytes()
    assert (pool["size"], pool["alignment"]) == (32, 16)
    assert pool["sha256"] == hashlib.sha256(data).hexdigest()
    assert [
        (c["name"], c["offset"], c["size"], c["type"], c["shape"]) for c in pool["constants"]
    ] == [
        ("w", 0, 12, "int8", [4, 3]),
        ("b", 16, 16, "int32", [4]),
    ]
    for constant in pool["constants"]:
        own = data[constant["offset"] : constant["offset"] + constant["size"]]
        assert constant["sha256"] == hashlib.sha256(own).hexdigest()
    header = (project / "tiny_net.h").read_text()
    assert f'#define TINY_NET_PLAN_HASH "{manifest["plan"]}"' in header


def test_update_leaves_the_bytes_of_other_constants_alone(project: Path) -> None:
    before = (project / "tiny_net_weights.bin").read_bytes()
    update_constants(project, {"b": BIAS + 1})
    after = (project / "tiny_net_weights.bin").read_bytes()
    assert after[:16] == before[:16]
    assert np.frombuffer(after[16:], "<i4").tolist() == [101, -199, 301, 5]


def test_only_changed_files_are_written(project: Path) -> None:
    stamp = (project / "tiny_net_weights.bin").stat().st_ino
    assert update_constants(project, {"b": BIAS}) == ()
    assert (project / "tiny_net_weights.bin").stat().st_ino == stamp


@pytest.mark.parametrize(
    ("name", "value", "said"),
    [
        ("w", np.zeros((3, 4), np.int8), r"'w' is int8\[4, 3\], int8\[3, 4\] was given"),
        ("w", np.zeros((4, 3), np.int16), r"'w' is int8\[4, 3\], int16\[4, 3\] was given"),
        ("v", np.zeros((4, 3), np.int8), "no constant 'v'; constants: b, w"),
    ],
)
def test_what_does_not_fit_is_refused_and_nothing_written(
    project: Path, name: str, value: NDArray[np.int8], said: str
) -> None:
    before = (project / "tiny_net_weights.bin").read_bytes()
    with pytest.raises(ConstantsError, match=said):
        update_constants(project, {"b": BIAS + 1, name: value})
    assert (project / "tiny_net_weights.bin").read_bytes() == before


def test_file_that_is_not_the_manifest_s_is_refused(project: Path) -> None:
    (project / "tiny_net_weights.bin").write_bytes(bytes(32))
    with pytest.raises(ConstantsError, match="its bytes are not those of the manifest"):
        update_constants(project, {"b": BIAS})


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ('"offset": 16', '"offset": 24', "offset and size of constant 'b' do not agree"),
        ('"int32"', '"int33"', "offset and size of constant 'b' do not agree"),
        ('"tiny_net_weights.bin"', '"../w.bin"', r"pools\[0\]\.file .* must be a string matching"),
        ('"alignment": 16', '"alignment": "16"', r"alignment \('weights'\) must be an integer"),
    ],
)
def test_a_wrong_manifest_is_refused(project: Path, old: str, new: str, said: str) -> None:
    manifest = project / "tiny_net_weights.json"
    assert old in manifest.read_text()
    manifest.write_text(manifest.read_text().replace(old, new, 1))
    with pytest.raises(ConstantsError, match=rf"tiny_net_weights\.json: .*{said}"):
        update_constants(project, {"b": BIAS})


def test_project_with_its_weights_inside_is_refused(
    fully_connected: Network, tmp_path: Path
) -> None:
    directory = write_project(*fully_connected, tmp_path / "out")
    with pytest.raises(ConstantsError, match="0 manifests of constants, not one"):
        update_constants(directory, {"b": BIAS})


def test_one_pool_of_two_changes(fully_connected: Network, tmp_path: Path) -> None:
    module, model = fully_connected
    beside = (*model.pools, PlannedPool("tables", PoolKind.constant, size=16))
    two = with_weights_blob(dataclasses.replace(model, pools=beside))
    directory = write_project(module, two, tmp_path / "out")
    assert (directory / "tiny_net_tables.bin").read_bytes() == bytes(16)
    assert update_constants(directory, {"b": BIAS * 2}) == (directory / "tiny_net_weights.bin",)


def test_pools_inside_need_constants_inside(fully_connected: Network) -> None:
    with pytest.raises(CodegenError, match="the application fills weights"):
        with_internal_pools(with_weights_blob(fully_connected[1]))
