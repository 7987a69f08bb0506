"""The fenced blocks of a page of the documentation, and how each language of them is tried."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from mlir import ir

import forebay.api.dialects  # noqa: F401  (contexts made after it know both dialects)

FENCE = re.compile(r"^```(\w*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
COMMAND = re.compile(r"^\$ (.*)\n((?:(?!\$ ).*\n)*)", re.MULTILINE)
FILE_NAME = re.compile(r"^(?:#|//) ([\w.-]+\.(?:py|mlir|yaml|csv|c))\n")
# What a fragment of IR lacks: values, symbols and ops around it. The syntax is checked before.
SURROUNDINGS = (
    "use of undeclared SSA value name",
    "which is not in the module",
    "which is no device of the module",
    "expects parent op",
)


@dataclass(frozen=True)
class Block:
    """A fenced block with a language."""

    page: str
    line: int
    language: str
    text: str

    @property
    def first(self) -> str:
        """The first line, by which decisions name the block."""
        return self.text.partition("\n")[0]

    @property
    def file(self) -> str | None:
        """The name in the first line of a block that is a file."""
        found = FILE_NAME.match(self.text)
        return found and found[1]


def blocks_of(page: str, text: str) -> Iterator[Block]:
    """Return the blocks of a page that have a language."""
    for found in FENCE.finditer(text):
        line = text.count("\n", 0, found.start()) + 1
        if found[1]:
            yield Block(page, line, found[1], found[2])


def first_command(page: Path) -> tuple[str, str]:
    """Return the first command of a page whose output is printed there, and this output."""
    found = re.search(COMMAND, page.read_text(encoding="utf-8"))
    assert found is not None, page
    return found[1], found[2].partition("```")[0]


def shell(script: str, folder: Path) -> subprocess.CompletedProcess[str]:
    """Run a script in the folder with the programs of this environment, up to its first failure."""
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    return subprocess.run(
        ["bash", "-euo", "pipefail", "-c", script],
        cwd=folder,
        env={**os.environ, "PATH": path},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )


def commands_of(script: str) -> Iterable[str]:
    """Return the commands of a script, one a line except where a line ends with a backslash."""
    return [line for line in re.sub(r"\\\n\s*", "", script).splitlines() if line.strip()]


def matches(expected: str, printed: str) -> bool:
    """Whether the printed text is the expected one, in which `...` stands for any text."""
    lines = "\n".join(line.rstrip() for line in printed.splitlines())
    parts = [re.escape(part) for part in expected.rstrip("\n").split("...")]
    return re.fullmatch("(?s:.*)".join(parts) + r"\s*", lines) is not None


def ir_errors(text: str) -> list[str]:
    """Return what is wrong with a block of IR: ops, or attributes and types one by one."""
    with ir.Context(), ir.Location.unknown():
        plain = re.sub(r"^\s*//.*\n|^\.\.\.\n", "", text, flags=re.MULTILINE)
        try:
            if re.match(r"[#!]|(memref|tensor)<", plain) and " = affine_map<" not in plain:
                for item in re.split(r"\n(?=\S)", plain.strip()):
                    ir.Attribute.parse(item)
            else:
                ir.Module.parse(plain)
        except ir.MLIRError as error:
            return [str(diagnostic.message) for diagnostic in error.error_diagnostics]
    return []


def is_complete(errors: Iterable[str]) -> bool:
    """Whether a block of IR lacks at most what is around it."""
    return all(any(part in error for part in SURROUNDINGS) for error in errors)


def compile_c(text: str, declarations: str, folder: Path) -> subprocess.CompletedProcess[str]:
    """Compile a block of C: functions as they are, statements inside of a function."""
    includes = [line for line in text.splitlines() if line.startswith("#include")]
    rest = "\n".join(line for line in text.splitlines() if not line.startswith("#include"))
    if not re.search(r"^(\w+ )+\w+\([^;]*\)(\n\{| \{|;)", rest, re.MULTILINE):
        rest = f"void block(void);\nvoid block(void)\n{{\n{rest}\n}}"
    source = "\n".join(["#include <stdint.h>", "#include <stdio.h>", *includes, declarations, rest])
    command = ["gcc", "-std=c11", "-Wall", "-Werror", "-Wno-unused", "-fsyntax-only", "-I."]
    folders = [f"-I{path}" for path in sorted(folder.iterdir()) if path.is_dir()]
    return subprocess.run(
        [*command, *folders, "-xc", "-"],
        input=source + "\n",
        cwd=folder,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )


def is_excerpt(part: object, whole: object) -> bool:
    """Whether a JSON value has no key that the whole one has not at the same place."""
    if isinstance(part, dict) and isinstance(whole, dict):
        return all(key in whole and is_excerpt(part[key], whole[key]) for key in part)
    if isinstance(part, list) and isinstance(whole, list):
        return all(any(is_excerpt(item, other) for other in whole) for item in part)
    return not isinstance(part, dict | list)
