"""What compilers say that functions keep on the stack, and who calls whom: an oracle for bounds."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

from common.toolchain import COMPILERS

OWN = r"_(weights|pools|selftest|reference)\.c$"
_EDGE = re.compile(r'edge: \{ sourcename: "([^"]*)" targetname: "([^"]*)"')
_BOUND = re.compile(r"_STACK_BOUND (\d+)$", re.M)


def sources(project: Path) -> list[Path]:
    """The files with the network's functions."""
    return sorted(p for p in project.glob("*.c") if not re.search(OWN, p.name))


def bound_of(project: Path, compiler: str) -> int:
    """What the header says for this compiler's machine: the first is for pointers of 64 bits."""
    text = next(t for p in project.glob("*.h") if "_STACK_BOUND" in (t := p.read_text()))
    return int(_BOUND.findall(text)[0 if compiler in ("gcc", "clang") else 1])


def calls_of(project: Path, scratch: Path) -> dict[str, set[str]]:
    """Who calls whom in the C as it is written, by gcc's call graph."""
    calls: dict[str, set[str]] = {}
    for source in sources(project):
        compiled(["gcc", "-O0", "-fcallgraph-info"], project, source, scratch)
        for caller, callee in _EDGE.findall((scratch / f"{source.stem}.ci").read_text()):
            calls.setdefault(_name(caller), set()).add(_name(callee))
    return calls


def frames_of(project: Path, compiler: str, level: str, scratch: Path) -> dict[str, int]:
    """Bytes per function; those that were inlined have none of their own."""
    frames: dict[str, int] = {}
    for source in sources(project):
        compiled([compiler, *COMPILERS[compiler], level, "-fstack-usage"], project, source, scratch)
        for line in (scratch / f"{source.stem}.su").read_text().splitlines():
            place, size, kind = line.split("\t")
            assert kind in ("static", "dynamic,bounded"), line
            frames[place.split(":")[-1]] = int(size)
    return frames


def deepest(frames: dict[str, int], calls: dict[str, set[str]]) -> int:
    """The largest sum along the calls of the C source, independent of inlining."""

    def depth(name: str) -> int:
        return frames.get(name, 0) + max(map(depth, calls.get(name, ())), default=0)

    return max(map(depth, frames))


def compiled(command: list[str], project: Path, source: Path, scratch: Path) -> None:
    """Compile one file, with what the compiler writes beside the object in `scratch`."""
    flags = ["-std=c99", f"-I{project}", "-c", str(source), "-o", f"{source.stem}.o"]
    subprocess.run([*command, *flags], cwd=scratch, check=True)


def _name(title: str) -> str:
    return title.rsplit(":", maxsplit=1)[-1]
