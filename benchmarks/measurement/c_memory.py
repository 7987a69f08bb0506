"""Memory that C code uses beside its pools, as reported by the compiler."""

import os
import re
import subprocess
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

SMALL = 16  # local objects up to this many bytes are not counted
_WHERE = re.compile(r"^[^\s:]+: (?:In function .(\w+).|At top level):$")
_LARGER = re.compile(r"warning: size of .(\w+). (\d+) bytes exceeds maximum object size")


@dataclass(frozen=True)
class CObject:
    """An object in C code that takes `size` bytes of writable memory."""

    name: str
    size: int


def extra_memory(
    sources: list[Path], pools: list[CObject], scratch: Path
) -> tuple[list[CObject], list[CObject]]:
    """Return local objects above 16 bytes, and static objects other than the declared `pools`.

    Object files go to `scratch`. At -O0 the compiler removes nothing, so every declared object is
    counted.
    """
    local: list[CObject] = []
    static: list[CObject] = []
    for source in sources:
        compiled = scratch / f"{source.stem}.o"
        warnings = _compile(source, compiled)
        symbols = _symbols(compiled)
        local += _without_statics(_large_in_functions(warnings), symbols)
        static += _writable(symbols)
    return local, list((Counter(static) - Counter(pools)).elements())


@dataclass(frozen=True)
class _Symbol:
    name: str
    size: int
    kind: str


def _compile(source: Path, compiled: Path) -> str:
    command = [
        "gcc",
        "-std=c99",
        "-O0",
        "-fno-pie",
        f"-Wlarger-than={SMALL}",
        "-c",
        source,
        "-o",
        compiled,
    ]
    done = subprocess.run(
        [str(x) for x in command],
        check=False,
        capture_output=True,
        text=True,
        env={**os.environ, "LC_ALL": "C"},
    )
    if done.returncode:
        raise SystemExit(f"gcc refuses {source}:\n{done.stderr}")
    return done.stderr


def _large_in_functions(warnings: str) -> list[CObject]:
    """Return large objects inside functions, as gcc reports them: arrays, structs, statics."""
    found, function = [], None
    for line in warnings.splitlines():
        if where := _WHERE.match(line):
            function = where[1]
        elif function and (larger := _LARGER.search(line)):
            found.append(CObject(larger[1], int(larger[2])))
    return found


def _without_statics(objects: list[CObject], symbols: list[_Symbol]) -> list[CObject]:
    """Return the objects that remain after one is removed for each static of its name and size."""
    inside = [x for x in symbols if "." in x.name]
    statics = Counter(CObject(x.name.rpartition(".")[0], x.size) for x in inside)
    return list((Counter(objects) - statics).elements())


def _symbols(compiled: Path) -> list[_Symbol]:
    """Return every symbol with a size; a static inside a function is called `name.number`."""
    listing = subprocess.run(["nm", "-S", compiled], check=True, capture_output=True, text=True)
    matches = re.finditer(r"^[0-9a-f]+ ([0-9a-f]+) (\w) (\S+)$", listing.stdout, re.MULTILINE)
    return [_Symbol(x[3], int(x[1], 16), x[2]) for x in matches]


def _writable(symbols: list[_Symbol]) -> list[CObject]:
    """Return whether the symbol is in .bss, .data or common; constants are `r`, code is `t`."""
    return [CObject(x.name, x.size) for x in symbols if x.kind in "bBdDC"]
