"""Times of an inference in another runtime: `contenders.py tflm|litert MODEL`.

Prints `ready`, and for each line of its input the best milliseconds of an inference. It runs in an
environment that has the runtime's package, and imports nothing of Forebay.
"""

import sys
import time
from collections.abc import Callable
from importlib import import_module
from pathlib import Path

SECONDS = 0.2


def tflm(model: str) -> Callable[[], None]:
    runtime = import_module("tflite_micro.python.tflite_micro.runtime")
    return runtime.Interpreter.from_file(model, arena_size=32 << 20).invoke


def litert(model: str) -> Callable[[], None]:
    interpreter = import_module("ai_edge_litert.interpreter").Interpreter(
        model_content=_with_known_dimensions(Path(model)), num_threads=1
    )
    interpreter.allocate_tensors()
    return interpreter.invoke


def _with_known_dimensions(model: Path) -> bytes:
    """Return a model whose scales are along dimensions that its tensors have.

    XNNPACK refuses scales along dimension 3 of a bias, as person_detect has them.
    """
    schema = import_module("ai_edge_litert.schema_py_generated")
    found = schema.ModelT.InitFromObj(schema.Model.GetRootAs(model.read_bytes(), 0))
    for graph in found.subgraphs:
        for tensor in graph.tensors:
            rank = 0 if tensor.shape is None else len(tensor.shape)
            if tensor.quantization and tensor.quantization.quantizedDimension >= max(rank, 1):
                tensor.quantization.quantizedDimension = 0
    builder = import_module("flatbuffers").Builder(0)
    builder.Finish(found.Pack(builder), b"TFL3")
    return bytes(builder.Output())


def best(invoke: Callable[[], None]) -> float:
    """Return the shortest of many times, in milliseconds."""
    found, until = float("inf"), time.perf_counter() + SECONDS
    while time.perf_counter() < until:
        start = time.perf_counter()
        invoke()
        found = min(found, time.perf_counter() - start)
    return found * 1e3


def main() -> None:
    name, model = sys.argv[1:]
    invoke = {"tflm": tflm, "litert": litert}[name](model)
    print("ready", flush=True)
    for _ in sys.stdin:
        print(best(invoke), flush=True)


if __name__ == "__main__":
    main()
