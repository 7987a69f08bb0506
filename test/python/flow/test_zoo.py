"""The zoo's networks: golden outputs on every engine and target, in the fewest bytes, in order."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from common.sweep import sweep
from zoo import make

import forebay

ZOO = Path(make.__file__).parent
NAMES = [network.__name__ for network in make.NETWORKS]


def assert_gives_its_goldens(compiled: forebay.Compiled, name: str, engine: str) -> None:
    with np.load(ZOO / f"{name}.npz") as golden:
        compiled.reset(engine)  # type: ignore[arg-type]
        for run in range(make.RUNS):
            found = compiled.run(golden[f"in{run}_0"], engine=engine)  # type: ignore[arg-type]
            np.testing.assert_array_equal(found, golden[f"out{run}_0"], err_msg=f"{engine} {run}")


@pytest.mark.parametrize("name", NAMES)
def test_every_engine_gives_the_golden_outputs(name: str) -> None:
    compiled = forebay.compile(ZOO / f"{name}.tflite")
    for engine in ("c", "llvm"):
        assert_gives_its_goldens(compiled, name, engine)


@pytest.mark.parametrize("name", sweep(NAMES, 0))
def test_the_emulator_gives_the_golden_outputs(name: str) -> None:
    assert_gives_its_goldens(forebay.compile(ZOO / f"{name}.tflite"), name, "emulator")


@pytest.mark.parametrize("name", sweep(NAMES))
def test_an_accelerator_and_the_smallest_budget_give_them(name: str) -> None:
    file = ZOO / f"{name}.tflite"
    assert_gives_its_goldens(forebay.compile(file, target="fetch_conv"), name, "c")
    smallest = forebay.compile(file, budget="min")
    assert smallest.plan.peak("workspace") <= forebay.compile(file).plan.peak("workspace")
    assert_gives_its_goldens(smallest, name, "c")


def test_operators_of_the_host_run_by_rows_around_one_on_an_accelerator() -> None:
    file, target = ZOO / "residual_int8.tflite", "fetch_conv"
    device, host = "5", ("0", "1", "2", "4", "6", "9")
    place = {device: "accel", **dict.fromkeys(host, "cpu")}
    layers = forebay.compile(file, target=target, place=place)
    rows = forebay.compile(file, target=target, place=place, budget="min")
    assert rows.plan.peak("l2_mem") <= layers.plan.peak("l2_mem") // 2
    for engine in ("c", "emulator"):
        assert_gives_its_goldens(rows, "residual_int8", engine)


@pytest.mark.parametrize("name", sweep(NAMES, 0))
def test_each_pass_keeps_the_outputs(name: str) -> None:
    compiled = forebay.compile(ZOO / f"{name}.tflite", verify_each=True)
    assert_gives_its_goldens(compiled, name, "c")


def test_the_goldens_differ_from_run_to_run() -> None:
    for name in NAMES:
        with np.load(ZOO / f"{name}.npz") as golden:
            outputs = [golden[f"out{run}_0"].tobytes() for run in range(make.RUNS)]
        assert len(set(outputs)) == make.RUNS, name


def test_the_script_makes_these_files(tmp_path: Path) -> None:
    pytest.importorskip("tflite_micro", reason="tflite-micro is not installed")
    make.main(tmp_path)
    made = sorted(tmp_path.iterdir())
    assert [path.name for path in made] == sorted(
        path.name for path in ZOO.iterdir() if path.stem in NAMES
    )
    for path in made:
        if path.suffix == ".tflite":
            assert path.read_bytes() == (ZOO / path.name).read_bytes(), path.name
        else:  # the compressed bytes depend on the version of zlib
            with np.load(path) as new, np.load(ZOO / path.name) as old:
                assert {k: v.tobytes() for k, v in new.items()} == {
                    k: v.tobytes() for k, v in old.items()
                }
