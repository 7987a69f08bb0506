"""The statements of a function as they are written."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from .wrap import wrapped

INDENT = "    "
COMMENT = re.compile(r"/\*.*?\*/")


@dataclass(frozen=True)
class Line:
    """A statement or brace with its indentation.

    `declares` is a name that it exists for; `variable` the C type of the variable that it brings.
    """

    depth: int
    text: str
    declares: str = ""
    variable: str = ""

    def mentions(self, name: str) -> bool:
        """Whether an identifier occurs outside of comments."""
        return re.search(rf"\b{name}\b", COMMENT.sub("", self.text)) is not None


@dataclass
class Lines:
    """Lines so far, and the depth of the next."""

    depth: int = 1
    content: list[Line] = field(default_factory=list[Line])

    def write(self, text: str, declares: str = "", variable: str = "") -> None:
        """Write a line at the current depth."""
        self.content.append(Line(self.depth, text, declares, variable))

    def insert(self, index: int, text: str, variable: str = "") -> None:
        """Write a line before others, at the current depth."""
        self.content.insert(index, Line(self.depth, text, variable=variable))

    @property
    def variables(self) -> tuple[str, ...]:
        """The C types of all variables, a name per declaration."""
        return tuple(line.variable for line in self.content if line.variable)

    def mention(self, name: str) -> bool:
        """Whether any line uses an identifier."""
        return any(line.mentions(name) for line in self.content)

    def drop_unused(self) -> None:
        """Take back declarations whose name no later line of their block mentions."""
        for index in range(len(self.content) - 1, -1, -1):
            name = self.content[index].declares
            if name and not any(line.mentions(name) for line in self._rest_of_block(index)):
                del self.content[index]

    def _rest_of_block(self, index: int) -> list[Line]:
        depth = self.content[index].depth
        end = index + 1
        while end < len(self.content) and self.content[end].depth >= depth:
            end += 1
        return self.content[index + 1 : end]

    def text(self) -> list[str]:
        """Return the lines of the file, long ones broken."""
        return [
            piece for line in self.content for piece in wrapped(INDENT * line.depth + line.text)
        ]
