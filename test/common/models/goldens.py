"""What the shared networks must answer."""

from collections.abc import Iterator
from pathlib import Path

import numpy as np


def samples(folder: Path, name: str) -> Iterator[tuple[list[np.ndarray], list[np.ndarray]]]:
    """Inputs and outputs of each sample, noise first, then real ones.

    TFLite Micro's; of split_concat, which it does not run, LiteRT's. The real golden of ad01 is
    LiteRT's, too, which rounds FULLY_CONNECTED once where TFLite Micro rounds twice: left out.
    """
    kinds = ["tflm"] if name == "ad01_int8" else ["tflm", "real"]
    kinds = ["litert_ref"] if name == "split_concat" else kinds
    for kind in kinds:
        path = folder / "golden" / kind / f"{name}.npz"
        if not path.exists():
            continue
        with np.load(path) as arrays:
            for index in range(len(arrays.files)):
                if f"in{index}_0" in arrays:
                    yield _numbered(arrays, f"in{index}_"), _numbered(arrays, f"out{index}_")


def _numbered(arrays: np.lib.npyio.NpzFile, prefix: str) -> list[np.ndarray]:
    names = [name for name in arrays.files if name.startswith(prefix)]
    return [arrays[f"{prefix}{k}"] for k in range(len(names))]
