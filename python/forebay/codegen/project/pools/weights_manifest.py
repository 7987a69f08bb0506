"""`<m>_weights.json`: the contents of the constant files, for tools that write new values."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping

from msgspec import UNSET

from forebay.codegen.project.interface.identity import plan_hash
from forebay.formats.memory_map import ModelIdentity
from forebay.formats.weights_manifest import ConstantFile, ListedConstant, WeightsManifest
from forebay.formats.writing import json_text
from forebay.network.constants import Constant
from forebay.network.model import ModelInfo, PlannedPool
from forebay.network.names import Naming
from forebay.network.pool_images import image_name


def manifest_name(prefix: str) -> str:
    """Return the name of the file in a project."""
    return f"{prefix}_weights.json"


def write_weights_manifest(
    model: ModelInfo,
    naming: Naming,
    constants: Mapping[Constant, str],
    images: Mapping[str, bytes],
) -> str:
    """Return the manifest of all pools that the application fills; offsets and sizes in bytes.

    `selftest_sha256` is the hash of the bytes for which the self-test's expected outputs hold;
    writing new values does not change it.
    """
    document = WeightsManifest(
        format="forebay-weights",
        version=2,
        model=ModelIdentity(model.name, model.source_hash),
        plan=plan_hash(model),
        byte_order="little",
        pools=tuple(
            _pool(pool, naming, constants, images[image_name(pool, naming)])
            for pool in model.outside_pools
        ),
    )
    return json_text(document)


def bytes_digest(data: bytes | bytearray) -> str:
    """Return the SHA-256 of bytes in the manifest's form."""
    return hashlib.sha256(data).hexdigest()


def _pool(
    pool: PlannedPool, naming: Naming, constants: Mapping[Constant, str], image: bytes
) -> ConstantFile:
    return ConstantFile(
        name=pool.name,
        file=image_name(pool, naming),
        size=pool.size,
        alignment=pool.alignment,
        sha256=bytes_digest(image),
        selftest_sha256=bytes_digest(image),
        constants=tuple(
            ListedConstant(
                name=name,
                offset=constant.offset,
                size=constant.data.nbytes,
                type=constant.data.dtype.name,
                shape=constant.data.shape,
                model_shape=UNSET if constant.model_shape is None else constant.model_shape,
                repeated=True if constant.repeats else UNSET,
                interleaved=constant.interleaved.channels,
                interleaved_word=constant.interleaved.word
                if constant.interleaved.word > 1
                else UNSET,
                sha256=bytes_digest(image[constant.offset : constant.end]),
            )
            for constant, name in constants.items()
            if constant.pool == pool.name
        ),
    )
