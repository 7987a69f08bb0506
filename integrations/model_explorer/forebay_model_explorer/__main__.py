"""Write the node data of a memory map: `python -m forebay_model_explorer MAP.json FOLDER`."""

from __future__ import annotations

import sys
from pathlib import Path

from forebay.api.formats import MemoryMap, read_file
from forebay_model_explorer.node_data import node_data_of


def main(path: str, folder: str) -> None:
    """Write a file for each kind of numbers."""
    Path(folder).mkdir(parents=True, exist_ok=True)
    for name, data in node_data_of(read_file(Path(path), MemoryMap)).items():
        data.save_to_file(str(Path(folder) / f"{name}.json"))
        print(f"wrote {Path(folder) / name}.json")


if __name__ == "__main__":
    main(*sys.argv[1:])
