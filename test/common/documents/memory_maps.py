"""Memory maps that tests write down."""

from __future__ import annotations

from typing import Any

from forebay.formats.memory_map import (
    MapBound,
    MapBuffer,
    MapOperator,
    MapPool,
    MapStep,
    MemoryMap,
    ModelIdentity,
    StackBounds,
)


def buffer(name: str, lifetime: tuple[int, int], **more: Any) -> MapBuffer:
    given = {
        "kind": "workspace",
        "pool": "ws",
        "offset": 0,
        "size": 8,
        "producer": None,
        "consumers": (),
        "type": "int8",
        "shape": (8,),
        "scale": None,
        "zero_point": None,
        **more,
    }
    return MapBuffer(name=name, lifetime=lifetime, **given)


def step(operator: int | None, reads: tuple[int, ...], writes: tuple[int, ...]) -> MapStep:
    return MapStep(
        operator=operator,
        op="linalg.generic",
        device="cpu",
        entry="main",
        location=f"net.tflite: op #{operator}",
        reads=reads,
        writes=writes,
    )


def operator(index: int, kind: str, **more: Any) -> MapOperator:
    return MapOperator(index=index, kind=kind, name=f"t{index}", **{"device": "cpu", **more})


def pool(name: str, peak: int, **more: Any) -> MapPool:
    given = {
        "kind": "workspace",
        "lower_bound": peak,
        "bound": MapBound("live bytes", (0, 1), 1, ()),
        "capacity": None,
        "alignment": 16,
        "section": None,
        "fill": None,
        **more,
    }
    return MapPool(name=name, peak=peak, **given)


def memory_map(**parts: Any) -> MemoryMap:
    """Two operators: `a` is computed on the host, then `b` from it on an accelerator."""
    steps = (step(0, (), (0,)), step(1, (0, 2), (1,)))
    given = {
        "pools": (pool("ws", 16), pool("flash", 8, kind="constant", fill="rom", bound=None)),
        "inputs": (),
        "outputs": (),
        "buffers": (
            buffer("a", (0, 2), producer=0, consumers=(1,)),
            buffer("b", (1, 2), producer=1, offset=8),
            buffer("w", (1, 2), kind="constant", pool="flash", consumers=(1,)),
        ),
        "operators": (
            operator(0, "QUANTIZE", reasons=("npu: no pattern",), macs=0, bytes=16),
            operator(1, "CONV_2D", device="npu", pattern="conv", macs=64, bytes=24),
        ),
        "steps": steps,
        **parts,
    }
    return MemoryMap(
        format="forebay-memory-map",
        version=3,
        model=ModelIdentity("net", "0" * 64),
        plan="1" * 64,
        planner="auto",
        target="npu",
        host="cpu",
        stack_bound=StackBounds(8, 16),
        **given,
    )
