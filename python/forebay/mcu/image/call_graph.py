"""The call graph with stack frames that GCC writes (`-fcallgraph-info=su`), and its stack bound.

A bound is the largest sum of frames on any path of calls. The compiler's own arithmetic (libgcc)
has no frames in the graph. Each call of it counts as `ARITHMETIC` bytes, which is more than the
largest frame, that of the 64-bit division.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from forebay.mcu.errors import McuError

ARITHMETIC = 96
STACK_WITHOUT_BOUND = 16 * 1024
EXCEPTION_FRAME = 256  # Arm registers with a floating-point unit: 104, doubled for alignment

_NODE = re.compile(r'node: \{ title: "([^"]*)" label: "([^"]*)"')
_EDGE = re.compile(r'edge: \{ sourcename: "([^"]*)" targetname: "([^"]*)"')
_FRAME = re.compile(r"\\n(\d+) bytes \(([a-z,]+)\)$")


@dataclass(frozen=True)
class CallGraph:
    """Frames in bytes of the functions that have one, and the functions that they call.

    A static function has the title `file:name`, any other its name. `unbounded` are the functions
    whose frame size is known only at run time.
    """

    frames: Mapping[str, int]
    calls: Mapping[str, tuple[str, ...]]
    unbounded: frozenset[str] = frozenset()

    @property
    def names(self) -> frozenset[str]:
        """Names of all functions, as in the symbols of an object file."""
        return frozenset(base_name(title) for title in self.frames)


INDIRECT = "__indirect_call"
"""GCC's node for a call through a pointer."""


def with_indirect_calls(graph: CallGraph, functions: Collection[str]) -> CallGraph:
    """Return the graph in which a call through a pointer calls one of `functions`, by name in C.

    Without any, the graph stays as it is.
    """
    titles = tuple(title for title in graph.frames if base_name(title) in functions)
    return _with_targets(graph, graph.calls, titles)


def with_callbacks(
    graph: CallGraph, network: Collection[str], application: Collection[str]
) -> CallGraph:
    """Return the graph in which a network's call through a pointer calls the application.

    Both are titles. A callback must not run a network, so it is any function of the application
    from which no call through a pointer is reached.
    """
    titles = tuple(title for title in application if not _calls_through_pointers(graph, title))
    return _with_targets(graph, network, titles)


def _with_targets(graph: CallGraph, callers: Collection[str], titles: tuple[str, ...]) -> CallGraph:
    """Return the graph in which calls through pointers in some functions are to `titles`."""
    if not titles:
        return graph
    calls = dict(graph.calls)
    for caller in set(callers) & calls.keys():
        callees = calls[caller]
        calls[caller] = tuple(c for one in callees for c in (titles if one == INDIRECT else (one,)))
    return replace(graph, calls=calls)


def _calls_through_pointers(graph: CallGraph, function: str) -> bool:
    seen, queue = set[str](), [function]
    while queue:
        current = queue.pop()
        if current not in seen:
            seen.add(current)
            queue += graph.calls.get(current, ())
    return INDIRECT in seen


def base_name(title: str) -> str:
    """Return the name in C of a function with a title like `file:name.constprop.0`."""
    return title.rpartition(":")[2].partition(".")[0]


def read_call_graphs(files: Sequence[Path]) -> CallGraph:
    """Read the graphs of several translation units as one graph."""
    frames: dict[str, int] = {}
    calls: dict[str, tuple[str, ...]] = {}
    unbounded: set[str] = set()
    for file in files:
        text = file.read_text(encoding="utf-8")
        for title, label in _NODE.findall(text):
            frame = _FRAME.search(label)
            if frame is None:
                continue
            frames[title] = int(frame[1])
            if frame[2] == "dynamic":
                unbounded.add(title)
        for caller, callee in _EDGE.findall(text):
            calls[caller] = (*calls.get(caller, ()), callee)
    return CallGraph(frames, calls, frozenset(unbounded))


def stack_of_function(graph: CallGraph, function: str) -> int:
    """Return the most bytes of stack that a call of `function` uses.

    Raises `McuError` when there is no known bound: recursion, a call through a pointer, a frame of
    variable size, a function without a frame.
    """
    return _bound(graph, function, ())


def stack_of_image(program: CallGraph) -> int:
    """Return the bytes for a whole program and one exception, or 16 KiB if there is no bound."""
    try:
        needed = stack_of_function(program, "start")
    except McuError:
        return STACK_WITHOUT_BOUND
    return -(-(needed + EXCEPTION_FRAME) // 16) * 16


def _bound(graph: CallGraph, function: str, path: tuple[str, ...]) -> int:
    name = base_name(function)
    if function in path:
        raise McuError(f"stack of '{name}': it calls itself")
    if function not in graph.frames:
        return _bound_of_library(name, path)
    if function in graph.unbounded:
        raise McuError(f"stack of '{name}': its frame has a size known at run time only")
    callees = sorted(set(graph.calls.get(function, ())))
    inner = [_bound(graph, callee, (*path, function)) for callee in callees]
    return graph.frames[function] + max(inner, default=0)


def _bound_of_library(name: str, path: tuple[str, ...]) -> int:
    if name.startswith("__") and name != INDIRECT:
        return ARITHMETIC
    caller = base_name(path[-1]) if path else "no function"
    raise McuError(f"stack of '{name}', which '{caller}' calls: its frame is not known")
