"""The emitted program of the example, and a check of its words by a decoder of the model alone.

`plain_vta` decodes words from the programming model; it shares nothing with the emitter. Here it
also says which words are outside of what every build of the machine computes alike.
"""

from __future__ import annotations

import importlib.util
import json
import sys
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

import forebay

ROOT = Path(__file__).parents[4]
EXAMPLE = ROOT / "examples" / "vta"
Words = list[tuple[int, int]]


def _plain() -> Any:
    name = "plain_vta_of_streams"
    path = ROOT / "test" / "python" / "isa" / "vta" / "plain_vta.py"
    spec = importlib.util.spec_from_file_location(name, path)
    assert spec is not None
    assert spec.loader is not None
    module = sys.modules[name] = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


PLAIN = _plain()
DEPTHS = {0: 2048, 1: 1024, 2: 2048, 3: 2048}
COMPUTE_MEMORIES = {0, 3}


class Stream:
    """The files of an emission."""

    def __init__(self, directory: Path) -> None:
        (path,) = directory.glob("*.vta.json")
        self.document = json.loads(path.read_text("utf-8"))
        raw = (directory / self.document["instructions"]).read_bytes()
        numbers = np.frombuffer(raw, "<u8").tolist()
        self.words: Words = list(zip(numbers[::2], numbers[1::2], strict=True))
        self.dram = (directory / self.document["dram"]).read_bytes()
        self.base: int = self.document["base"]
        assert len(self.words) == self.document["instruction_count"]
        assert len(self.dram) == self.document["dram_bytes"]

    def memory(self, inputs: list[np.ndarray]) -> bytes:
        """Return main memory with other inputs."""
        data = bytearray(self.dram)
        for port, value in zip(self.document["inputs"], inputs, strict=True):
            at = port["address"] - self.base
            data[at : at + port["bytes"]] = np.ascontiguousarray(value).tobytes()
        return bytes(data)

    def output(self, memory: bytes, number: int = 0) -> np.ndarray:
        """Return an output from main memory."""
        port = self.document["outputs"][number]
        at = port["address"] - self.base
        found = np.frombuffer(memory[at : at + port["bytes"]], port["dtype"])
        return found.reshape(port["shape"])


@cache
def emitted(model: Path, target: str, directory: Path) -> Stream:
    forebay.compile(model, target=target).write(directory, emit="vta")
    return Stream(directory)


def unsafe_words(words: Words, base: int, end: int) -> list[str]:
    """Return what of a program is outside of the words that every build takes, field by field."""
    wrong: list[str] = []
    for number, (low, high) in enumerate(words):
        name, f, bits = PLAIN.decoded(low, high)
        checks = _CHECKS[name](f, base, end)
        is_load = name == "VtaLoad" and f["memory"] not in COMPUTE_MEMORIES
        neighbours = {
            "a load takes or gives a token of no core": is_load
            and (bits["pop_prev"] or bits["push_prev"]),
            "a store takes or gives a token of no core": name == "VtaStore"
            and (bits["pop_next"] or bits["push_next"]),
            "FINISH is not the last": (name == "VtaFinish") != (number == len(words) - 1),
        }
        wrong += [
            f"{number}, {name}: {what}"
            for what, is_wrong in (checks | neighbours).items()
            if is_wrong
        ]
    return wrong


def _load(f: dict[str, int], base: int, end: int) -> dict[str, bool]:
    size = {0: 4, 1: 256, 2: 16, 3: 64}.get(f["memory"], 0)
    pads = [f[pad] for pad in ("pad_up", "pad_down", "pad_left", "pad_right")]
    rows = f["pad_up"] + f["rows"] + f["pad_down"]
    columns = f["pad_left"] + f["columns"] + f["pad_right"]
    last = f["dram"] + (f["rows"] - 1) * f["stride"] + f["columns"]
    has_data = f["columns"] > 0
    return {
        "no such memory": not size,
        "pads without a row": f["rows"] == 0 and has_data,
        "pads of WGT or UOP": f["memory"] in {0, 1} and any(pads),
        "rows of UOP": f["memory"] == 0 and f["rows"] != 1 and has_data,
        "beyond the memory": has_data and f["sram"] + rows * columns > DEPTHS.get(f["memory"], 0),
        "outside of main memory": has_data and not base <= f["dram"] * size <= last * size <= end,
    }


def _store(f: dict[str, int], base: int, end: int) -> dict[str, bool]:
    last = f["dram"] + (f["rows"] - 1) * f["stride"] + f["columns"]
    return {
        "not OUT": f["memory"] != 4,
        "pads": any(f[pad] for pad in ("pad_up", "pad_down", "pad_left", "pad_right")),
        "no data": not (f["rows"] and f["columns"]),
        "beyond the memory": f["sram"] + f["rows"] * f["columns"] > DEPTHS[3],
        "outside of main memory": not base <= f["dram"] * 16 <= last * 16 <= end,
    }


def _loops(f: dict[str, int], _base: int, _end: int) -> dict[str, bool]:
    return {
        "no micro-ops": f["uop_begin"] >= f["uop_end"],
        "micro-ops beyond UOP": f["uop_end"] > DEPTHS[0],
        "no iteration": not (f["outer"] and f["inner"]),
        "a multiplication": f.get("op") == 4,
        "a shift outside of 0 to 15": f.get("op") == 3
        and bool(f["use_immediate"])
        and not 0 <= f["immediate"] <= 15,
    }


_CHECKS = {
    "VtaLoad": _load,
    "VtaStore": _store,
    "VtaGemm": _loops,
    "VtaAlu": _loops,
    "VtaFinish": lambda *_: {},
}
