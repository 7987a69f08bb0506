"""Calls that return a status: the first that is not 0 ends the function that they stand in."""

from __future__ import annotations

from dataclasses import dataclass

from mlir.ir import OpView

from forebay.ir.locations import operator_of

from ..c_text import string_literal
from .comments import operator_text
from .lines import Lines

TELL = "failed"
"""The function that fills the caller's structure."""


@dataclass(frozen=True)
class Culprit:
    """The devices that may have returned a status, and where in the network."""

    devices: tuple[str, ...]
    where: str

    @staticmethod
    def of(op: OpView, devices: tuple[str, ...], fallback: str) -> Culprit:
        """The operator of the model that an op belongs to, else what the fallback calls it."""
        operator = operator_of(op.location)
        return Culprit(devices, fallback if operator is None else operator_text(operator))


@dataclass
class StatusChecks:
    """Writes the calls of one function.

    One that `tells` fills the structure `error` behind its last parameter; any other hands the
    status on.
    """

    lines: Lines
    variable: str
    tells: bool = False
    _is_declared: bool = False
    _is_declared_first: bool = False
    _last: tuple[int, int, str] = (0, -1, "")

    def call(self, text: str, culprit: Culprit) -> None:
        """Write a call, and the return where its status is not 0."""
        start = len(self.lines.content)
        is_first = not self._is_declared
        self._is_declared = True
        self._is_declared_first |= is_first and self.lines.depth > 1
        if is_first and self.lines.depth == 1:
            self.lines.write(f"int32_t {self.variable} = {text};", variable="int32_t")
        else:
            self.lines.write(f"{self.variable} = {text};")
        self.lines.write(f"if ({self.variable} != 0) {{")
        self.lines.write(f"    return {self._answer(culprit)};")
        self.lines.write("}")
        self._last = start, len(self.lines.content), text

    def end(self) -> None:
        """Write the function's return: of the last call, if nothing stands behind it."""
        start, end, text = self._last
        content = self.lines.content
        if not self.tells and end == len(content) and content[start].depth == 1:
            del content[start:]
            self.lines.write(f"return {text};")
        else:
            self.lines.write("return 0;")
        if self._is_declared_first:
            self.lines.insert(0, f"int32_t {self.variable};", "int32_t")

    def _answer(self, culprit: Culprit) -> str:
        if not self.tells:
            return self.variable
        devices = string_literal(", ".join(culprit.devices))
        return f"{TELL}(error, {self.variable}, {devices}, {string_literal(culprit.where)})"
