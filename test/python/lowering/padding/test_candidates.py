"""The kernels that cost less with padded sources: which, in which order, and what trials change."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from common.conv_layer import Layer
from common.padded_layers import kernels_in, on_buffers, padded_copies_in, text_of
from mlir import ir
from mlir.dialects import scf
from mlir.dialects.builtin import ModuleOp
from msgspec import structs

from forebay.cpus import schedule_of
from forebay.dialects.memref_pool import SpaceAttr
from forebay.ir.module import module_of
from forebay.ir.nested import ops_of
from forebay.lowering.padding.candidates import PaddingCandidates

FIRST = Layer(size=(16, 16), depth=3, channels=8)
INSIDE = Layer(size=(16, 16), depth=8, channels=4, kernel=(1, 1), pad=(0, 0, 0, 0))
LAST = Layer(size=(16, 16), depth=4, channels=8)


@pytest.fixture
def module() -> Iterator[ModuleOp]:
    with ir.Context(), ir.Location.unknown():
        yield module_of(on_buffers(text_of(FIRST, INSIDE, LAST)).operation)


def candidates_of(module: ModuleOp, cpu: str = "generic") -> PaddingCandidates:
    return PaddingCandidates(module, schedule_of(cpu))


def test_kernels_with_windows_inside_are_no_candidates(module: ModuleOp) -> None:
    assert [*candidates_of(module).choices] == [0, 2]


def added(module: ModuleOp, text: str) -> None:
    """Parse an op into a module."""
    ir.InsertionPoint.at_block_begin(module.body).insert(ir.Operation.parse(text))


def test_kernels_of_devices_are_no_candidates(module: ModuleOp) -> None:
    added(module, 'accel.device @npu kind "npu"')
    kernels_in(module)[2].attributes["accel.on"] = ir.FlatSymbolRefAttr.get("npu")
    assert [*candidates_of(module).choices] == [0]


def test_copies_are_in_workspaces(module: ModuleOp) -> None:
    """Beside the result, or else beside the source."""
    added(module, "memref_pool.pool @kept state")
    for number in (0, 1):
        result = kernels_in(module)[number].output
        type_ = ir.MemRefType(result.type)
        kept = SpaceAttr.get(["kept"])
        result.set_type(ir.MemRefType.get(type_.shape, type_.element_type, memory_space=kept))
    assert candidates_of(module).choices == {}


def test_the_best_way_comes_first(module: ModuleOp) -> None:
    (narrow, wide), _ = candidates_of(module, "cascadelake").choices.values()
    assert narrow.gain >= wide.gain > 0 and {narrow.elements, wide.elements} == {
        18 * 18 * 3,
        18 * 19 * 3,
    }


def test_a_trial_changes_a_clone_only(module: ModuleOp) -> None:
    candidates, before = candidates_of(module), str(module)
    clone = module_of(module.operation.clone().operation)
    sources = {number: own[0] for number, own in candidates.choices.items()}
    candidates.pad(clone, sources)
    assert str(module) == before and len(padded_copies_in(clone.operation)) == 2
    assert _constants(clone) == _constants(module)
    candidates.apply(sources)
    assert len(padded_copies_in(module.operation)) == 2
    assert _constants(clone) != _constants(module), "the zero point is in the bias"


def test_strips_save_less_than_whole_copies(module: ModuleOp) -> None:
    candidates = candidates_of(module)
    found = candidates.in_strips([0, 2], 4, has_row_lifetimes=True)
    for number, source in found.items():
        whole = candidates.choices[number][0]
        assert source.strips is not None and source.strips.has_row_lifetimes
        assert 0 < source.gain < whole.gain and source.elements < whole.elements
        (kernel,) = kernels_in(module)[number : number + 1]
        assert source.bytes_for(kernel) == source.elements
    candidates.apply(found)
    assert len(ops_of(module.operation, scf.ForOp)) == 2


@pytest.mark.parametrize("part", [0.001, 0.04])
def test_strips_that_save_too_little_are_left_out(module: ModuleOp, part: float) -> None:
    candidates = PaddingCandidates(module, schedule_of("generic"))
    candidates.choices = {
        number: [structs.replace(own[0], executed=1e6, gain=part * 1e6)]
        for number, own in candidates.choices.items()
    }
    found = candidates.in_strips([0, 2], 4, has_row_lifetimes=False)
    assert [*found] == ([] if part < 0.02 else [0, 2])


def _constants(module: ModuleOp) -> list[str]:
    return [line for line in str(module).splitlines() if "memref.global" in line]
