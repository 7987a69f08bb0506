"""`<model>_weights.json`: the contents of the constant files of a project."""

from __future__ import annotations

from typing import Annotated, ClassVar, Literal

import msgspec
from msgspec import UNSET, Meta, UnsetType

from forebay.formats.memory_map import ModelIdentity
from forebay.formats.record import Count, Document, Positive, Record, Sha256


class ListedConstant(Record, frozen=True, kw_only=True):
    """A constant in a file."""

    name: Annotated[str, Meta(description="Name, unique in the manifest.")]
    offset: Annotated[Count, Meta(description="Bytes from the begin of the file.")]
    size: Annotated[Count, Meta(description="Bytes.")]
    type: Annotated[str, Meta(description="Type of the elements, by NumPy's name.")]
    shape: Annotated[tuple[Count, ...], Meta(description="Elements in each dimension.")]
    model_shape: Annotated[
        tuple[Count, ...] | UnsetType,
        Meta(
            description="Present if the model has fewer elements: the others are zeros behind, or "
            "with `repeated` the same elements from the first one on."
        ),
    ] = UNSET
    repeated: Annotated[
        bool | UnsetType,
        Meta(description="Present if the elements begin again behind those of the model."),
    ] = UNSET
    interleaved: Annotated[
        Positive,
        Meta(
            description="How many neighbours along the first dimension, n, are neighbours in the "
            "file: it has the elements of an array [first / n][others][n]. With 1 these are in "
            "row-major order."
        ),
    ]
    interleaved_word: Annotated[
        Positive | UnsetType,
        Meta(
            description="Present if so many elements, w, of each of these neighbours are together: "
            "the file has the elements of an array [first / n][others / w][n][w]."
        ),
    ] = UNSET
    sha256: Annotated[Sha256, Meta(description="SHA-256 of the constant's bytes.")]


class ConstantFile(Record, frozen=True, kw_only=True):
    """The file of a pool, which the application puts into memory."""

    name: Annotated[str, Meta(description="Name of the pool.")]
    file: Annotated[
        str,
        Meta(
            pattern=r"^[^/\\]*[^/\\.][^/\\]*$",
            description="Name of the file, beside the manifest.",
        ),
    ]
    size: Annotated[Count, Meta(description="Bytes of the file.")]
    alignment: Annotated[Positive, Meta(description="Alignment in bytes that the pool needs.")]
    sha256: Annotated[Sha256, Meta(description="SHA-256 of the file.")]
    selftest_sha256: Annotated[
        Sha256,
        Meta(description="SHA-256 of the file for which the self-test's expected outputs hold."),
    ]
    constants: Annotated[tuple[ListedConstant, ...], Meta(description="The constants in the file.")]


class WeightsManifest(Document, frozen=True, kw_only=True):
    """The constants that are files of their own, for tools that write new values."""

    document: ClassVar[str] = "weights-manifest"
    title: ClassVar[str] = "Weights manifest"

    format: Annotated[Literal["forebay-weights"], Meta(description="Name of the format.")]
    version: Annotated[Literal[2], Meta(description="Version of the format.")]
    model: Annotated[ModelIdentity, Meta(description="The model that was compiled.")]
    plan: Annotated[Sha256, Meta(description="SHA-256 of the plan, as in the C header.")]
    byte_order: Annotated[Literal["little"], Meta(description="Byte order of the files.")]
    pools: Annotated[
        tuple[ConstantFile, ...], Meta(description="Pools that the application fills.")
    ]


class _Header(msgspec.Struct):
    format: Literal["forebay-weights"]
    version: Literal[2]


def is_weights_manifest(data: bytes) -> bool:
    """Return whether a file claims to be a weights manifest of this version."""
    try:
        msgspec.json.decode(data, type=_Header)
    except (ValueError, RecursionError):  # includes text that is not JSON or not UTF-8
        return False
    return True
