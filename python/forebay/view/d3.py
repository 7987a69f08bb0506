"""The copy of D3 in `assets`: its version, its hashes, and the command that makes it again.

`python -m forebay.view.d3` packs this version by npm, checks it, and writes the files; nothing else
of the page comes from outside of this project.
"""

from __future__ import annotations

import hashlib
import subprocess
import sys
import tarfile
import tempfile
from pathlib import Path

from forebay.errors import Error
from forebay.view.page import ASSETS

D3_VERSION = "7.9.0"

D3_FILES = {
    "d3.min.js": (
        "package/dist/d3.min.js",
        "f2094bbf6141b359722c4fe454eb6c4b0f0e42cc10cc7af921fc158fceb86539",
    ),
    "d3.LICENSE.txt": (
        "package/LICENSE",
        "3e6849627f74ff73c257a3ae1efb574015d94fc1035c05ec3c15805165efcbc4",
    ),
}
"""By name in `assets`: the name in the package, and the SHA-256."""


class PackageError(Error):
    """A package of D3 that is not the expected one."""


def with_known_hash(name: str, content: bytes) -> bytes:
    """Return the content of a file; raise `PackageError` if its hash is not the expected one."""
    _, expected = D3_FILES[name]
    found = hashlib.sha256(content).hexdigest()
    if found != expected:
        raise PackageError(f"{name} of d3 {D3_VERSION} has SHA-256 {found}, expected {expected}")
    return content


def fetched() -> dict[str, bytes]:
    """Return the files of the package from npm; raises `PackageError` for other content."""
    with tempfile.TemporaryDirectory() as folder:
        command = ["npm", "pack", f"d3@{D3_VERSION}", "--silent"]
        subprocess.run(command, cwd=folder, check=True, capture_output=True)
        with tarfile.open(next(Path(folder).glob("*.tgz"))) as package:
            inside = {name: path for name, (path, _) in D3_FILES.items()}
            return {
                name: with_known_hash(name, _member(package, path)) for name, path in inside.items()
            }


def _member(package: tarfile.TarFile, name: str) -> bytes:
    file = package.extractfile(name)
    if file is None:
        raise PackageError(f"d3 {D3_VERSION} has no file {name}")
    return file.read()


if __name__ == "__main__":
    for name, content in fetched().items():
        (ASSETS / name).write_bytes(content)
        sys.stdout.write(f"wrote {ASSETS / name}\n")
