"""The graph of a memory map: a node per operator and port, edges by the buffers between them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from model_explorer import graph_builder

from forebay.api.formats import MemoryMap, operator_edges

GRAPH = "main"
"""The name of the graph, to which node data refer."""


def node_id(operator: int) -> str:
    """Return the identity of an operator's node."""
    return f"operator {operator}"


def graph_of(memory_map: MemoryMap) -> graph_builder.Graph:
    """Return the graph; layers are devices."""
    sources: dict[int, list[str]] = {}
    for first, second in operator_edges(memory_map.buffers, memory_map.steps):
        sources.setdefault(second, []).append(node_id(first))
    for number, name in _ports(memory_map, "inputs"):
        sources.setdefault(number, []).append(name)
    nodes = [
        graph_builder.GraphNode(id=f"input {port.name}", label=port.name)
        for port in memory_map.inputs
    ]
    nodes += [_operator(memory_map, number, sources) for number in range(len(memory_map.operators))]
    for port in memory_map.outputs:
        writers = [n for n, name in _ports(memory_map, "outputs") if name == f"output {port.name}"]
        edges = [graph_builder.IncomingEdge(sourceNodeId=node_id(number)) for number in writers]
        nodes.append(
            graph_builder.GraphNode(id=f"output {port.name}", label=port.name, incomingEdges=edges)
        )
    return graph_builder.Graph(id=GRAPH, nodes=nodes)


def _ports(memory_map: MemoryMap, side: str) -> Iterator[tuple[int, str]]:
    """Yield operators with the names of the caller's ports that they access, each pair once."""
    ports = getattr(memory_map, side)
    seen: dict[tuple[int, str], None] = {}
    for step in memory_map.steps:
        for port in getattr(step, side) or ():
            if step.operator is not None:
                seen[step.operator, f"{side.removesuffix('s')} {ports[port].name}"] = None
    yield from seen


def _operator(
    memory_map: MemoryMap, number: int, sources: Mapping[int, list[str]]
) -> graph_builder.GraphNode:
    operator = memory_map.operators[number]
    return graph_builder.GraphNode(
        id=node_id(number),
        label=operator.kind,
        namespace=operator.device,
        attrs=[graph_builder.KeyValue(key, value) for key, value in _facts(memory_map, number)],
        incomingEdges=[graph_builder.IncomingEdge(name) for name in sources.get(number, ())],
    )


def _facts(memory_map: MemoryMap, number: int) -> Iterator[tuple[str, str]]:
    operator = memory_map.operators[number]
    yield "name", operator.name
    yield "device", operator.device
    if operator.pattern:
        yield "pattern", operator.pattern
    for reason in operator.reasons or ():
        yield "not off-loaded", reason
    if operator.macs is not None and operator.macs:
        yield "MACs", f"{operator.macs:,}"
    for title, numbers in uses_of(memory_map, number).items():
        for buffer in (memory_map.buffers[each] for each in numbers):
            end = buffer.offset + buffer.size
            yield title, f"{buffer.name}: {buffer.pool} [{buffer.offset:,}, {end:,})"


def uses_of(memory_map: MemoryMap, operator: int) -> dict[str, list[int]]:
    """Return the buffers that an operator reads and writes, by "reads" and "writes"."""
    found: dict[str, dict[int, None]] = {"reads": {}, "writes": {}}
    for step in memory_map.steps:
        if step.operator == operator:
            found["reads"].update(dict.fromkeys(step.reads))
            found["writes"].update(dict.fromkeys(step.writes))
    return {title: list(numbers) for title, numbers in found.items()}
