"""Numbers of the nodes, by which Model Explorer colours them: bytes and cycles."""

from __future__ import annotations

from collections.abc import Mapping

from model_explorer import node_data_builder

from forebay.api.formats import MemoryMap
from forebay_model_explorer.graph import GRAPH, node_id, uses_of

_GRADIENT = (
    node_data_builder.GradientItem(stop=0, bgColor="#f6f7f9"),
    node_data_builder.GradientItem(stop=1, bgColor="#e08e2f"),
)


def node_data_of(memory_map: MemoryMap) -> dict[str, node_data_builder.ModelNodeData]:
    """Return live bytes by pool, written bytes, and the cycles of each step once."""
    operators = range(len(memory_map.operators))
    numbers: dict[str, dict[int, int]] = {
        "written": {number: _written(memory_map, number) for number in operators},
        "cycles_once": {number: _cycles(memory_map, number) for number in operators},
    }
    for pool in memory_map.pools:
        if pool.kind == "workspace":
            numbers[f"live_{pool.name}"] = {
                number: _live(memory_map, number, pool.name) for number in operators
            }
    return {name: _data(name, found) for name, found in numbers.items() if any(found.values())}


def _data(name: str, numbers: Mapping[int, int]) -> node_data_builder.ModelNodeData:
    results = {
        node_id(number): node_data_builder.NodeDataResult(value=value)
        for number, value in numbers.items()
    }
    data = node_data_builder.GraphNodeData(results, name=name, gradient=list(_GRADIENT))
    return node_data_builder.ModelNodeData({GRAPH: data})


def _written(memory_map: MemoryMap, operator: int) -> int:
    return sum(memory_map.buffers[n].size for n in uses_of(memory_map, operator)["writes"])


def _cycles(memory_map: MemoryMap, operator: int) -> int:
    return sum(step.cycles or 0 for step in memory_map.steps if step.operator == operator)


def _live(memory_map: MemoryMap, operator: int, pool: str) -> int:
    """Return the most bytes of a pool that are live in a step of the operator."""
    steps = [n for n, step in enumerate(memory_map.steps) if step.operator == operator]
    own = [buffer for buffer in memory_map.buffers if buffer.pool == pool]

    def is_live(start: int, end: int, gaps: tuple[tuple[int, int], ...], step: int) -> bool:
        return start <= step < end and not any(low <= step < high for low, high in gaps)

    return max(
        (sum(b.size for b in own if is_live(*b.lifetime, b.gaps or (), step)) for step in steps),
        default=0,
    )
