"""The networks of the benchmarks: the digits network and the shared public ones."""

import json
import os
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
# The compiler must place these; it may refuse the others with the operator's name.
REQUIRED = {
    "digits_int8",
    "resnet8_int8",
    "resnet8_float",
    "kws_dscnn_int8",
    "ad01_int8",
    "person_detect_int8",
    "micro_speech_int8",
    "hello_world_int8",
    "mobilenetv2_tf2_int8",
    "mcunet_vww_int8",
    "mww_vad_int8",
}
# stem, near and mix are live together, each 8 * 8 * 16 bytes; no operator needs more
DIGITS_PACKING = 3 * 8 * 8 * 16


@dataclass(frozen=True)
class Network:
    """A model file, and the bytes that other tools need for its activations.

    `best_packing` is the best known packing of all tensors between operators, at alignment 16;
    `tflm_arena` is the part of TFLite Micro's arena that holds tensors and scratch.
    """

    name: str
    path: Path
    best_packing: int | None
    tflm_arena: int | None = None

    @property
    def required(self) -> bool:
        """Return whether refusing it is a failure."""
        return self.name in REQUIRED


def shared_models() -> Path:
    """Return the folder of the public networks; it may be absent."""
    return Path(os.environ.get("FOREBAY_SHARED", ROOT.parent / "shared")) / "models"


def networks(wanted: list[str] | None = None) -> list[Network]:
    """Return the networks named in `wanted`, or all that exist."""
    found = [Network("digits_int8", ROOT / "examples/digits/digits_int8.tflite", DIGITS_PACKING)]
    manifest = shared_models() / "manifest.json"
    if manifest.exists():
        found += [_from_manifest(entry) for entry in json.loads(manifest.read_text())["models"]]
    known = {network.name: network for network in found}
    unknown = sorted(set(wanted or ()) - set(known))
    if unknown:
        raise SystemExit(f"no network {', '.join(unknown)}; known: {', '.join(sorted(known))}")
    return [known[name] for name in wanted or known]


def _from_manifest(entry: dict) -> Network:
    packing = entry.get("packing") or {}
    path = shared_models() / entry["file"]
    return Network(entry["name"], path, packing.get("best"), entry.get("tflm_arena_head"))
