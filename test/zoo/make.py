"""Write the networks of the zoo and their golden outputs: `python test/zoo/make.py [FOLDER]`."""

from __future__ import annotations

import io
import sys
import zipfile
from pathlib import Path
from typing import Any

import numpy as np

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))

from zoo.networks import NETWORKS, separable_uint8, signed_twin  # noqa: E402

RUNS = 3
HALF = np.uint8(128)


def main(folder: Path) -> None:
    """Write a `.tflite` and a `.npz` file for each network."""
    for network in NETWORKS:
        file = network()
        (folder / f"{network.__name__}.tflite").write_bytes(file)
        if network is separable_uint8:
            goldens = {name: x.view(np.uint8) ^ HALF for name, x in golden(signed_twin()).items()}
        else:
            goldens = golden(file)
        _write(folder / f"{network.__name__}.npz", goldens)


def golden(file: bytes) -> dict[str, Any]:
    """Drawn inputs of three inferences in a row, and TFLite Micro's outputs."""
    from tflite_micro.python.tflite_micro import runtime

    interpreter = runtime.Interpreter.from_bytes(file, arena_size=1_000_000)
    details = interpreter.get_input_details(0)
    info = np.iinfo(details["dtype"])
    rng = np.random.default_rng(len(file))
    arrays: dict[str, Any] = {}
    for run in range(RUNS):
        # A level per channel, which averages keep, and noise.
        level = rng.normal(0, info.max / 3, details["shape"][-1])
        drawn = rng.normal(level, info.max / 4, details["shape"])
        x = np.clip(np.rint(drawn), info.min, info.max).astype(details["dtype"])
        interpreter.set_input(x, 0)
        interpreter.invoke()
        arrays[f"in{run}_0"], arrays[f"out{run}_0"] = x, interpreter.get_output(0).copy()
    return arrays


def _write(path: Path, arrays: dict[str, Any]) -> None:
    """Write the arrays with a fixed date, so that equal arrays give equal files."""
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, values in arrays.items():
            content = io.BytesIO()
            np.save(content, values)
            archive.writestr(
                zipfile.ZipInfo(f"{name}.npy"), content.getvalue(), zipfile.ZIP_DEFLATED
            )


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else HERE)
