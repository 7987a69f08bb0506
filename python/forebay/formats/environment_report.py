"""The report of `forebay doctor`: what is installed, and what works."""

from __future__ import annotations

from typing import Annotated, ClassVar, Literal

from msgspec import Meta

from forebay.formats.record import Document, Record


class InstalledPackage(Record, frozen=True):
    """A Python package that Forebay or one of its extras requires."""

    name: Annotated[str, Meta(description="Name of the package.")]
    required: Annotated[
        str, Meta(description="Versions that work, as in `pip install`; empty if all do.")
    ]
    extra: Annotated[
        str | None, Meta(description="The extra that requires it; null if Forebay itself does.")
    ]
    version: Annotated[str | None, Meta(description="The installed version; null without one.")]
    fits: Annotated[bool, Meta(description="Whether a version that works is installed.")]


class InstalledTool(Record, frozen=True):
    """A program outside of Python that some commands start."""

    program: Annotated[str, Meta(description="Name of the program.")]
    debian: Annotated[str, Meta(description="The Debian package that contains it.")]
    used_for: Annotated[str, Meta(description="What needs it.")]
    path: Annotated[str | None, Meta(description="Its file; null if it is not in PATH.")]
    version: Annotated[str | None, Meta(description="First line of its version output.")]


class CheckedAbility(Record, frozen=True):
    """A command that was tried on a small network."""

    name: Annotated[str, Meta(description="What was tried.")]
    outcome: Annotated[
        Literal["works", "fails", "not installed"],
        Meta(description="`not installed` if programs or packages are missing."),
    ]
    detail: Annotated[str, Meta(description="The error, or what is missing; empty if it works.")]


class EnvironmentReport(Document, frozen=True):
    """Versions of everything that Forebay uses on a machine, and what works there."""

    document: ClassVar[str] = "environment-report"
    title: ClassVar[str] = "Environment report"

    format: Annotated[
        Literal["forebay-environment-report"], Meta(description="The kind of document.")
    ]
    version: Annotated[Literal[1], Meta(description="The version of the format.")]
    forebay: Annotated[str, Meta(description="Version of Forebay.")]
    python: Annotated[str, Meta(description="Implementation and version of Python.")]
    platform: Annotated[str, Meta(description="Operating system, processor and C library.")]
    packages: Annotated[tuple[InstalledPackage, ...], Meta(description="Python packages.")]
    tools: Annotated[tuple[InstalledTool, ...], Meta(description="Compilers and emulators.")]
    checks: Annotated[tuple[CheckedAbility, ...], Meta(description="What was tried.")]
