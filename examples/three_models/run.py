"""Build and run an application with three networks in one image.

python examples/three_models/run.py [DIRECTORY] [--board BOARD]
"""

import argparse
import os
import shlex
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np

import forebay
from forebay.api.mcu import boards, build_application, run_application

HERE = Path(__file__).parent
MODELS = (
    HERE.parent / "digits/digits_int8.tflite",
    HERE.parent / "two_models/smooth.mlir",
    HERE / "best_so_far.mlir",
)
PICTURES = 4
# The memories of the emulated board for the workspaces and the state, and for the constants.
SECTIONS = {
    ".bss.image_workspace": "sram",
    ".bss.image_state": "dtcm",
    ".rodata.image_weights": "qspi",
}


def main() -> int:
    """Compile the networks, share their memory, run the application, and return its exit code."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("directory", nargs="?", type=Path, help="keeps all files")
    parser.add_argument("--board", help="an emulated board with memories 'sram', 'dtcm' and 'qspi'")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as temporary:
        directory = options.directory or Path(temporary)
        networks = [forebay.compile(model) for model in MODELS]
        folders = [network.write(directory / network.info.name) for network in networks]
        image = directory / "image"
        for memory in forebay.share_projects(folders, image).memories:
            print(f"{memory.name}: {memory.size:,} bytes instead of {memory.alone:,}")
        _write_pictures(directory / "pictures.h", networks)
        if options.board is None:
            status = _on_this_machine(image, directory)
        else:
            status = _on_board(options.board, image, directory)
    print("all outputs are those of the networks alone" if status == 0 else f"failed: {status}")
    return status


def _sources(image: Path) -> list[Path]:
    """Return the application's C files and those of the image, without the self-tests."""
    own = sorted(path for path in image.glob("*.c") if not path.stem.endswith("_selftest"))
    return [HERE / "main.c", *own]


def _on_this_machine(image: Path, directory: Path) -> int:
    """Build with the C compiler of this machine, run, and return the exit code."""
    program = directory / "three_models"
    compiler = shlex.split(os.environ.get("CC", "cc"))
    flags = ["-std=c11", "-O2", "-ffp-contract=off", f"-I{image}", f"-I{directory}"]
    command = [*compiler, *flags, *_sources(image), "-o", program, "-lm"]
    subprocess.run([str(part) for part in command], check=True)
    return subprocess.run([program], check=False).returncode


def _on_board(name: str, image: Path, directory: Path) -> int:
    """Build for an emulated board, print the sections' addresses, run, return the exit code."""
    board = boards.load(name)
    program = build_application(
        board,
        _sources(image),
        [],
        directory / name,
        include=[image, directory],
        sections=SECTIONS,
    )
    for section in program.sections:
        if section.name in SECTIONS:
            memory = SECTIONS[section.name]
            print(f"{section.name}: {section.size:,} bytes in {memory} at {section.address:#010x}")
    return run_application(board, program)


def _write_pictures(path: Path, networks: list[forebay.Compiled]) -> None:
    """Write held-out digits, and the outputs of each network alone, as a C header."""
    digits, smooth, best_so_far = networks
    with np.load(HERE.parent / "digits/digits_heldout.npz") as heldout:
        pictures = heldout["inputs"][:PICTURES]
    best_so_far.reset(engine="emulator")
    rows: dict[str, list[np.ndarray]] = {"smoothed": [], "scores": [], "best": []}
    for picture in pictures:
        smoothed = smooth.run(picture.reshape(1, 8, 8, 1), engine="emulator")
        scores = digits.run(smoothed, engine="emulator")
        best = best_so_far.run(scores, engine="emulator")
        for name, row in zip(rows, (smoothed, scores, best), strict=True):
            rows[name].append(row)
    arrays = {"pictures": pictures} | {f"expected_{name}": row for name, row in rows.items()}
    text = [f"#include <stdint.h>\n\n#define PICTURES {PICTURES}"]
    text += [_array(name, np.reshape(row, (PICTURES, -1))) for name, row in arrays.items()]
    path.write_text("\n".join(text) + "\n")


def _array(name: str, rows: np.ndarray) -> str:
    values = ",\n    ".join("{" + ", ".join(map(str, row)) + "}" for row in rows.tolist())
    return f"static const int8_t {name}[PICTURES][{rows.shape[1]}] = {{\n    {values}\n}};"


if __name__ == "__main__":
    sys.exit(main())
