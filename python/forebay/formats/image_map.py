"""`<image>.json`, the memory of several networks in one image."""

from __future__ import annotations

from typing import Annotated, ClassVar, Literal

from msgspec import Meta

from forebay.formats.memory_map import PoolContents
from forebay.formats.record import Count, Document, Positive, Record, Sha256


class ImageNetwork(Record, frozen=True):
    """A network of the image."""

    name: Annotated[str, Meta(description="Name of the model.")]
    prefix: Annotated[str, Meta(description="Beginning of its names in C.")]
    plan: Annotated[Sha256, Meta(description="SHA-256 of its plan, as in its header.")]


class ImagePool(Record, frozen=True):
    """The bytes that a network uses of a memory."""

    network: Annotated[str, Meta(description="Prefix of the network.")]
    offset: Annotated[Count, Meta(description="Bytes from the base of the memory.")]
    size: Annotated[Count, Meta(description="Bytes.")]


class ImageConstant(Record, frozen=True):
    """A constant in the image; the pool of a network whose code is an object is one, with parts."""

    name: Annotated[str, Meta(description="Name in C.")]
    offset: Annotated[Count, Meta(description="Bytes from the base of the memory.")]
    size: Annotated[Count, Meta(description="Bytes.")]
    used_by: Annotated[
        dict[str, str], Meta(description="Its name in each network that uses it, by prefix.")
    ]


class ImageMemory(Record, frozen=True, kw_only=True):
    """A memory of the image: the pools of one name of all networks."""

    name: Annotated[str, Meta(description="Name of the pools.")]
    kind: Annotated[PoolContents, Meta(description="What it holds.")]
    size: Annotated[Count, Meta(description="Bytes that the image needs.")]
    alone: Annotated[Count, Meta(description="Bytes that the networks need without sharing.")]
    capacity: Annotated[Count | None, Meta(description="Bytes of the memory; null: unlimited.")]
    alignment: Annotated[Positive, Meta(description="Bytes; alignment of its base.")]
    section: Annotated[str | None, Meta(description="Linker section; null at a fixed address.")]
    base: Annotated[Count | None, Meta(description="Address of offset 0; null: not fixed.")]
    pools: Annotated[
        tuple[ImagePool, ...], Meta(description="The networks' pools; none of constants in ROM.")
    ]
    constants: Annotated[
        tuple[ImageConstant, ...], Meta(description="The constants in ROM, equal ones once.")
    ]


class ImageMap(Document, frozen=True, kw_only=True):
    """The memories of an image and what each network has in them."""

    document: ClassVar[str] = "image-map"
    title: ClassVar[str] = "Map of an image of several networks"

    format: Annotated[Literal["forebay-image-map"], Meta(description="Name of the format.")]
    version: Annotated[Literal[1], Meta(description="Version of the format.")]
    name: Annotated[str, Meta(description="Beginning of the image's names in C.")]
    concurrent: Annotated[bool, Meta(description="Whether the networks may run at the same time.")]
    networks: Annotated[tuple[ImageNetwork, ...], Meta(description="The networks.")]
    memories: Annotated[tuple[ImageMemory, ...], Meta(description="The memories.")]
