"""`forebay-manifest.json`: the files of a directory that Forebay wrote."""

from __future__ import annotations

from typing import Annotated, ClassVar, Literal

from msgspec import UNSET, Meta, UnsetType

from forebay.formats.record import Document, Sha256


class OutputManifest(Document, frozen=True, kw_only=True):
    """The files of a directory that Forebay may replace or remove: those with these hashes."""

    document: ClassVar[str] = "output-manifest"
    title: ClassVar[str] = "Output manifest"

    format: Annotated[Literal["forebay-manifest"], Meta(description="Name of the format.")]
    version: Annotated[Literal[1], Meta(description="Version of the format.")]
    files: Annotated[
        dict[str, Sha256],
        Meta(description="SHA-256 by path, relative to the directory, with slashes."),
    ]
    replaced: Annotated[
        dict[str, Sha256] | UnsetType,
        Meta(description="Files of the run before; present while a run replaces them."),
    ] = UNSET
