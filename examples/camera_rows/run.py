"""Build and run an application whose camera hands in a picture line by line.

python examples/camera_rows/run.py [DIRECTORY] [--board BOARD]
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
CAMERA = """\
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

static const uint8_t digit_lines[{rows}][{pixels}] = {{{values}}};
static const int digit_label = {label};

/* In the place of a camera: it gives each line once, and breaks off after `lines` of them. */
typedef struct camera {{
    int32_t lines;
    int32_t served;
}} camera;

static bool camera_wait_for_line(camera *source, int32_t row, uint8_t *line)
{{
    if (row != source->served || row == source->lines) {{
        return false;
    }}
    memcpy(line, digit_lines[row], sizeof digit_lines[row]);
    ++source->served;
    return true;
}}
"""


def main() -> int:
    """Compile the network and the application, run it, and return its exit code."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("directory", nargs="?", type=Path, help="keeps all files")
    parser.add_argument("--board", help="an emulated board")
    options = parser.parse_args()
    network = forebay.compile(DIGITS / "digits_int8.tflite", input_rows=["image"], budget="min")
    stored = forebay.compile(DIGITS / "digits_int8.tflite", io="pool", budget="min")
    with tempfile.TemporaryDirectory() as temporary:
        directory = options.directory or Path(temporary)
        directory.mkdir(parents=True, exist_ok=True)
        _write_camera(directory / "camera.h")
        if options.board is None:
            status = _on_this_machine(network, directory)
        else:
            board = boards.load(options.board)
            folder = directory / options.board
            image = build_application(
                board, [HERE / "main.c"], [network], folder, include=[directory]
            )
            status = run_application(board, image)
    print(f"workspace: {network.plan.peak('workspace'):,} bytes, with the rows of the picture")
    print(f"with the whole picture in it: {stored.plan.peak('workspace'):,} bytes")
    print("the digit is right" if status == 0 else f"failed: {status}")
    return status


def _on_this_machine(network: forebay.Compiled, directory: Path) -> int:
    """Build with the C compiler of this machine, run, and return the exit code."""
    written = network.write(directory / network.info.name)
    own = ("", "_weights", "_pools")
    sources = [HERE / "main.c", *(written / f"{network.info.name}{part}.c" for part in own)]
    program = directory / "camera_rows"
    compiler = shlex.split(os.environ.get("CC", "cc"))
    flags = ["-std=c11", "-O2", f"-I{directory}", f"-I{written}"]
    command = [*compiler, *flags, *map(str, sources), "-o", str(program), "-lm"]
    subprocess.run(command, check=True)
    return subprocess.run([program], check=False).returncode


def _write_camera(path: Path) -> None:
    """Write the first held-out digit, as grey levels, and the code of its camera."""
    with np.load(DIGITS / "digits_heldout.npz") as heldout:
        image, label = heldout["inputs"][0, ..., 0] + np.int16(128), int(heldout["labels"][0])
    values = ", ".join(f"{{{', '.join(map(str, line.tolist()))}}}" for line in image)
    rows, pixels = image.shape
    path.write_text(CAMERA.format(rows=rows, pixels=pixels, values=values, label=label))


if __name__ == "__main__":
    sys.exit(main())
