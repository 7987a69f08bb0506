"""Build and run an application in which two networks share one memory.

python examples/two_models/run.py [DIRECTORY] [--board BOARD]
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
DIGITS = HERE.parent / "digits"
# The memories of the emulated boards for the workspaces of both networks, and for the weights.
SECTIONS = {".bss.shared": "sram", ".rodata.digits_int8_weights": "qspi"}


def main() -> int:
    """Compile both networks and the application, run it, and return its exit code."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("directory", nargs="?", type=Path, help="keeps all files")
    parser.add_argument("--board", help="an emulated board with memories 'sram' and 'qspi'")
    options = parser.parse_args()
    networks = [forebay.compile(it) for it in (DIGITS / "digits_int8.tflite", HERE / "smooth.mlir")]
    with tempfile.TemporaryDirectory() as temporary:
        directory = options.directory or Path(temporary)
        directory.mkdir(parents=True, exist_ok=True)
        _write_digit(directory / "digit.h")
        if options.board is None:
            status = _on_this_machine(networks, directory)
        else:
            status = _on_board(options.board, networks, directory)
    sizes = [network.plan.peak("workspace") for network in networks]
    print(f"workspaces of {sizes[0]:,} and {sizes[1]:,} bytes in one of {max(sizes):,}")
    print("the networks leave each other's results alone" if status == 0 else f"failed: {status}")
    return status


def _on_this_machine(networks: list[forebay.Compiled], directory: Path) -> int:
    """Build with the C compiler of this machine, run, and return the exit code."""
    sources = [HERE / "main.c"]
    for network in networks:
        written = network.write(directory / network.info.name)
        ours = (f"{network.info.name}.c", f"{network.info.name}_weights.c")
        sources += [written / name for name in ours if (written / name).exists()]
    program = directory / "two_models"
    folders = [directory, *(directory / network.info.name for network in networks)]
    flags = [f"-I{folder}" for folder in folders]
    compiler = shlex.split(os.environ.get("CC", "cc"))
    command = [*compiler, "-std=c11", "-O2", *flags, *sources, "-o", program, "-lm"]
    subprocess.run([str(part) for part in command], check=True)
    return subprocess.run([program], check=False).returncode


def _on_board(name: str, networks: list[forebay.Compiled], directory: Path) -> int:
    """Build for an emulated board, print the sections' memories, run, and return the exit code."""
    board = boards.load(name)
    image = build_application(
        board,
        [HERE / "main.c"],
        networks,
        directory / name,
        include=[directory],
        sections=SECTIONS,
    )
    for section in image.sections:
        if section.name in SECTIONS:
            memory = SECTIONS[section.name]
            print(f"{section.name}: {section.size:,} bytes in {memory} at {section.address:#010x}")
    return run_application(board, image)


def _write_digit(path: Path) -> None:
    """Write the first held-out digit as a C header."""
    with np.load(DIGITS / "digits_heldout.npz") as heldout:
        image, label = heldout["inputs"][0], int(heldout["labels"][0])
    values = ", ".join(str(value) for value in image.reshape(-1).tolist())
    path.write_text(
        "#include <stdint.h>\n\n"
        f"static const int8_t digit_image[{image.size}] = {{{values}}};\n"
        f"static const int digit_label = {label};\n"
    )


if __name__ == "__main__":
    sys.exit(main())
