"""Build and run an application in which two networks take turns in one memory.

python examples/two_models/run.py [DIRECTORY]
"""

import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np

import forebay
from forebay.codegen.build import c_compiler

HERE = Path(__file__).parent
DIGITS = HERE.parent / "digits"


def main() -> int:
    """Compile both networks and the application, run it; its exit code."""
    with tempfile.TemporaryDirectory() as temporary:
        directory = Path(sys.argv[1] if len(sys.argv) > 1 else temporary)
        digits = forebay.compile(DIGITS / "digits_int8.tflite")
        smooth = forebay.compile(HERE / "smooth.mlir")
        sources = [HERE / "main.c"]
        for network in (digits, smooth):
            written = network.write(directory / network.info.name)
            ours = (f"{network.info.name}.c", f"{network.info.name}_weights.c")
            sources += [written / name for name in ours if (written / name).exists()]
        _write_digit(directory / "digit.h")
        program = directory / "two_models"
        folders = [directory, *(directory / n.info.name for n in (digits, smooth))]
        flags = [f"-I{folder}" for folder in folders]
        command = [*c_compiler(), "-std=c11", "-O2", *flags, *sources, "-o", program, "-lm"]
        subprocess.run([str(part) for part in command], check=True)
        status = subprocess.run([program], check=False).returncode
    sizes = [network.plan.peak("workspace") for network in (digits, smooth)]
    print(f"workspaces of {sizes[0]:,} and {sizes[1]:,} bytes in one of {max(sizes):,}")
    print("the networks leave each other's results alone" if status == 0 else f"failed: {status}")
    return status


def _write_digit(path: Path) -> None:
    """The first held-out digit as a C header."""
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
