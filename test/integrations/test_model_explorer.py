"""The adapter, run by Model Explorer's own classes, in a Python that has them.

FOREBAY_MODEL_EXPLORER names the Python of such an environment; msgspec must be there, too.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest
from common.documents.memory_maps import memory_map, step
from msgspec.structs import replace

from forebay.formats.writing import json_lines

ROOT = Path(__file__).parents[2]
SCRIPT = """
import dataclasses, json, sys
from pathlib import Path
from model_explorer.extension_manager import ExtensionManager
manager = ExtensionManager(["forebay_model_explorer"])
manager.load_extensions()
graphs = manager.run_cmd({
    "cmdId": "convert", "extensionId": "forebay_memory_map", "modelPath": sys.argv[1],
    "settings": {}, "deleteAfterConversion": False,
})
from forebay.api.formats import MemoryMap, read_file
from forebay_model_explorer.node_data import node_data_of
data = node_data_of(read_file(Path(sys.argv[1]), MemoryMap))
texts = {name: json.loads(one.to_json_string()) for name, one in data.items()}
graph = graphs["graphs"][0]
graph = dataclasses.asdict(graph) if dataclasses.is_dataclass(graph) else graph
Path(sys.argv[2]).write_text(json.dumps({"graph": graph, "data": texts}))
"""


def explorer() -> str:
    given = os.environ.get("FOREBAY_MODEL_EXPLORER")
    if given is None and find_spec("model_explorer") is None:
        pytest.skip("no model_explorer: FOREBAY_MODEL_EXPLORER names a Python that has it")
    return given or sys.executable


@pytest.fixture(scope="module")
def shown(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """What Model Explorer gets of a memory map, and the node data."""
    folder = tmp_path_factory.mktemp("explorer")
    first, second = memory_map().steps
    steps = (replace(first, inputs=(0,)), replace(second, outputs=(0,), cycles=7), step(0, (), ()))
    port = {"type": "int8", "size": 8, "shape": (8,), "scale": None, "zero_point": None}
    from forebay.formats.memory_map import MapPort

    ports = [MapPort(name, pool=None, offset=None, **port) for name in ("x", "y")]
    map_ = memory_map(steps=steps, inputs=(ports[0],), outputs=(ports[1],))
    (folder / "net.json").write_text(json_lines(map_))
    path = os.pathsep.join(map(str, (ROOT / "python", ROOT / "integrations" / "model_explorer")))
    done = subprocess.run(
        [explorer(), "-c", SCRIPT, str(folder / "net.json"), str(folder / "out.json")],
        env={**os.environ, "PYTHONPATH": path},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return json.loads((folder / "out.json").read_text())


def node(shown: dict[str, Any], name: str) -> dict[str, Any]:
    return next(each for each in shown["graph"]["nodes"] if each["id"] == name)


def test_edges_follow_the_data_from_input_to_output(shown: dict[str, Any]) -> None:
    edges = {
        (edge["sourceNodeId"], each["id"])
        for each in shown["graph"]["nodes"]
        for edge in each.get("incomingEdges", [])
    }
    assert edges == {
        ("input x", "operator 0"),
        ("operator 0", "operator 1"),
        ("operator 1", "output y"),
    }


def test_nodes_have_device_pool_and_reasons(shown: dict[str, Any]) -> None:
    kept, moved = node(shown, "operator 0"), node(shown, "operator 1")
    facts = [(each["key"], each["value"]) for each in moved["attrs"]]
    assert (moved["label"], moved["namespace"]) == ("CONV_2D", "npu")
    assert ("pattern", "conv") in facts and ("MACs", "64") in facts
    assert ("reads", "a: ws [0, 8)") in facts and ("writes", "b: ws [8, 16)") in facts
    assert {"key": "not off-loaded", "value": "npu: no pattern"} in kept["attrs"]


def test_node_data_have_bytes_and_cycles(shown: dict[str, Any]) -> None:
    values = {
        name: {key: each["value"] for key, each in data["main"]["results"].items()}
        for name, data in shown["data"].items()
    }
    assert values == {
        "written": {"operator 0": 8, "operator 1": 8},
        "cycles_once": {"operator 0": 0, "operator 1": 7},
        "live_ws": {"operator 0": 8, "operator 1": 16},
    }
