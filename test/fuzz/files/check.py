"""One corrupted file through the command, in this process, which its parent watches."""

from __future__ import annotations

import os
import re
import resource
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from random import Random

from forebay.cli.main import main
from fuzz.cases import Wrong
from fuzz.files.corrupt import corrupted
from fuzz.files.samples import draw_sample

TEXT = {".mlir", ".json", ".csv", ".py"}
MEMORY = 6 * 2**30
UNFORESEEN = re.compile(r"Traceback \(most recent|internal error|Assertion|MemoryError", re.I)


def check(seed: int) -> Counter[str]:
    """Break the file of this number, and give it to the command."""
    rng = Random(seed)
    sample, other = draw_sample(rng, seed), draw_sample(rng, seed + 1)
    content = corrupted(sample.content, other.content, rng, is_text=sample.suffix in TEXT)
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, resource.RLIM_INFINITY))
    with tempfile.TemporaryDirectory() as folder:
        file, said = Path(folder) / f"case{sample.suffix}", Path(folder) / "said.txt"
        file.write_bytes(content)
        arguments = sample.command(file, Path(folder) / "out")
        with _said_to(said):
            code = _run(arguments)
        text = said.read_text("utf-8", errors="replace")
    _judge(f"{arguments[0]} of a {sample.suffix}", code, text)
    outcome = "accepted" if code == 0 else "refused"
    return Counter({f"{sample.suffix} files {outcome}": 1})


def _run(arguments: list[str]) -> object:
    try:
        return main(arguments)
    except SystemExit as end:
        return end.code


def _judge(what: str, code: object, text: str) -> None:
    if code not in (0, 1, 2):
        raise Wrong(f"{what}: exit code {code!r}: {text[-2000:]}")
    if UNFORESEEN.search(text):
        raise Wrong(f"{what}: {text[-2000:]}")
    if code != 0 and not text.strip():
        raise Wrong(f"{what}: exit code {code} and not a word")


@contextmanager
def _said_to(file: Path) -> Iterator[None]:
    """Both standard streams into a file, those of C++ as well."""
    kept = os.dup(1), os.dup(2)
    sys.stdout.flush(), sys.stderr.flush()
    with file.open("wb") as sink:
        os.dup2(sink.fileno(), 1)
        os.dup2(sink.fileno(), 2)
        try:
            yield
        finally:
            sys.stdout.flush(), sys.stderr.flush()
            for number, old in zip((1, 2), kept, strict=True):
                os.dup2(old, number)
                os.close(old)
