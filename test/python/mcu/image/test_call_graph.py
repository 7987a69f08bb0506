"""Stack bounds from the compiler's call graph."""

from pathlib import Path

import pytest

from forebay.mcu import McuError
from forebay.mcu.image.call_graph import (
    ARITHMETIC,
    INDIRECT,
    STACK_WITHOUT_BOUND,
    CallGraph,
    base_name,
    read_call_graphs,
    stack_of_function,
    stack_of_image,
    with_callbacks,
    with_indirect_calls,
)

TEXT = r"""graph: { title: "net.c"
node: { title: "net.c:kernel" label: "kernel\nnet.c:3:13\n40 bytes (static)" }
node: { title: "net.c:small.isra.0" label: "small.isra\nnet.c:9:13\n8 bytes (static)" }
node: { title: "net_run" label: "net_run\nnet.c:20:5\n16 bytes (static)" }
edge: { sourcename: "net_run" targetname: "net.c:kernel" label: "net.c:22:3" }
edge: { sourcename: "net_run" targetname: "net.c:small.isra.0" label: "net.c:23:3" }
edge: { sourcename: "net.c:small.isra.0" targetname: "copy" label: "net.c:10:3" }
node: { title: "copy" label: "copy\n<built-in>" shape : ellipse }
}
"""
OTHER = r"""node: { title: "copy" label: "copy\nc.c:1:1\n24 bytes (dynamic,bounded)" }
node: { title: "net.c:kernel" label: "kernel\nc.c:1:1\n40 bytes (static)" }
"""


def graph(tmp_path: Path, *texts: str) -> CallGraph:
    for index, text in enumerate(texts):
        (tmp_path / f"{index}.ci").write_text(text)
    return read_call_graphs(sorted(tmp_path.glob("*.ci")))


def test_the_bound_is_the_deepest_path(tmp_path: Path) -> None:
    found = graph(tmp_path, TEXT, OTHER)
    assert stack_of_function(found, "net_run") == 56  # 16 + max(40, 8 + 24)
    assert stack_of_function(found, "net.c:small.isra.0") == 32
    assert found.names == {"kernel", "small", "net_run", "copy"}


def test_what_has_no_frame_has_no_bound(tmp_path: Path) -> None:
    with pytest.raises(
        McuError, match=r"^stack of 'copy', which 'small' calls: its frame is not known$"
    ):
        stack_of_function(graph(tmp_path, TEXT), "net_run")


def test_the_compiler_s_arithmetic_counts_a_constant() -> None:
    assert stack_of_function(CallGraph({"f": 8}, {"f": ("__divdi3",)}), "f") == 8 + ARITHMETIC


def test_a_call_through_a_pointer_has_no_bound() -> None:
    with pytest.raises(McuError, match=r"^stack of '__indirect_call', which 'f' calls"):
        stack_of_function(CallGraph({"f": 8}, {"f": ("__indirect_call",)}), "f")


def test_the_targets_of_pointers_may_be_known() -> None:
    calls = {"f": ("__indirect_call", "g"), "main.c:read": ("copy",)}
    found = CallGraph({"f": 8, "g": 4, "main.c:read": 24, "copy": 16}, calls)
    assert stack_of_function(with_indirect_calls(found, {"read"}), "f") == 8 + 24 + 16
    assert with_indirect_calls(found, set()) == found


def test_a_network_calls_functions_of_the_application_that_run_no_network() -> None:
    frames = {"start": 8, "main": 32, "run": 64, "read": 16, "wait": 24, "unused": 4}
    calls = {
        "start": ("main",),
        "main": ("run", "wait"),
        "run": (INDIRECT,),
        "read": ("wait",),
    }
    found = CallGraph(frames, calls)
    assert stack_of_image(found) == STACK_WITHOUT_BOUND
    resolved = with_callbacks(found, ["run"], ["main", "read", "wait", "unused"])
    assert stack_of_function(resolved, "start") == 8 + 32 + 64 + 16 + 24
    own = CallGraph(frames, {**calls, "main": ("run", INDIRECT)})
    assert stack_of_image(with_callbacks(own, ["run"], ["main", "read"])) == STACK_WITHOUT_BOUND


def test_recursion_has_no_bound() -> None:
    with pytest.raises(McuError, match=r"^stack of 'f': it calls itself$"):
        stack_of_function(CallGraph({"f": 8, "g": 8}, {"f": ("g",), "g": ("f",)}), "f")


def test_a_frame_of_variable_size_has_no_bound(tmp_path: Path) -> None:
    text = TEXT.replace("40 bytes (static)", "40 bytes (dynamic)")
    with pytest.raises(McuError, match=r"^stack of 'kernel': its frame has a size known at run"):
        stack_of_function(graph(tmp_path, text), "net_run")


def test_names_lose_what_the_compiler_adds() -> None:
    assert base_name("dir/net.c:conv.constprop.0") == "conv"
