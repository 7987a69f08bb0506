"""The large networks have the sizes that the benchmark is about, and are imported whole."""

from __future__ import annotations

import importlib.util
from pathlib import Path

import pytest
from mlir import ir

from forebay.frontends.tflite import import_model

FILE = Path(__file__).parents[3] / "benchmarks" / "large_graphs.py"


@pytest.mark.parametrize(("name", "operators"), [("detector", 249), ("transformer", 613)])
def test_each_network_is_large_and_imported(name: str, operators: int) -> None:
    spec = importlib.util.spec_from_file_location("large_graphs", FILE)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    file, count = module.NETWORKS[name]()
    assert count == operators
    with ir.Context():
        assert import_model(file).operation.verify()
