"""Make the pictures of the README and of the site: pages of `forebay view` in headless Chromium.

python docs/pictures/make.py
"""

from __future__ import annotations

import subprocess
import tempfile
from pathlib import Path

from forebay.cli.main import main as forebay

HERE = Path(__file__).parent
DIGITS = HERE.parents[1] / "examples" / "digits" / "digits_int8.tflite"
PICTURES = {
    "plan.png": (["--target", "fetch_conv", "--emulate"], "1280,790"),
    "rows.png": (["--budget", "min"], "1280,640"),
}
"""The options of each picture, and its width and height."""


def main() -> None:
    """Write all pictures."""
    with tempfile.TemporaryDirectory() as folder:
        for name, (options, size) in PICTURES.items():
            page = Path(folder) / "page.html"
            forebay(["view", str(DIGITS), *options, "-o", str(page)])
            command = ["chromium", "--headless", "--no-sandbox", "--hide-scrollbars"]
            command += ["--virtual-time-budget=3000", f"--window-size={size}"]
            command += [f"--screenshot={HERE / name}", page.as_uri()]
            subprocess.run(command, check=True, capture_output=True)


if __name__ == "__main__":
    main()
