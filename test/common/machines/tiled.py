"""A target of two accelerators with stages of their own: `npu` takes a tile of given KiB."""

from __future__ import annotations

from collections.abc import Sequence

from mlir import ir
from mlir.dialects import linalg, tensor

from forebay.device_stages import CallSite
from forebay.dialects import accel
from forebay.targets import Device, Intrinsic, Operand, Pool, Target

FREE_BYTES: list[tuple[str, dict[str, int]]] = []
"""The free bytes that the stages got, in the order in which they ran."""

PLACES: list[tuple[str | None, ...]] = []
"""Where the operands are, as the stages got it."""


def target(
    *,
    tile: int = 48,
    sram: int = 320,
    start: int = 0,
    reserved: int = 0,
    wrong: int = 0,
    needed: int = 0,
    stay: int = 0,
) -> Target:
    """Two accelerators beside a CPU; sizes in KiB.

    What does not fit into `sram` goes to `dram`. The stage of `npu` cannot do without `needed`
    bytes; with `stay` it keeps its operands where the trial plan has them.
    """

    def with_tile(site: CallSite) -> Sequence[ir.Value] | None:
        FREE_BYTES.append((site.device, dict(site.free)))
        PLACES.append(site.operand_pools)
        if stay:
            site.keep_in_place()
        if tile == 0:
            return None
        if wrong:
            return []
        scratch = tensor.EmptyOp([tile * 1024], ir.IntegerType.get_signless(8)).result
        (source,) = site.call.inputs
        (target_,) = site.call.outputs
        made = accel.CallOp(
            [target_.type, scratch.type],
            f"{site.device}.scale_tiled",
            [source],
            [target_, scratch],
        )
        return [made.result_tensors[0]]

    def on_the_host(site: CallSite) -> Sequence[ir.Value]:
        FREE_BYTES.append((site.device, dict(site.free)))
        (source,) = site.call.inputs
        (target_,) = site.call.outputs
        return [_first_elements(source, target_)]

    return Target(
        "tiled",
        devices=(
            Device("cpu", "cpu", host=True),
            Device(
                "npu",
                "npu",
                intrinsics=_intrinsics(),
                stage=with_tile,
                reserve=lambda _: {"sram": needed * 1024},
            ),
            Device("dsp", "dsp", intrinsics=_intrinsics(), stage=on_the_host),
        ),
        pools=(
            Pool(
                "sram",
                "workspace",
                capacity=sram * 1024,
                start=start * 1024,
                reserved=(((sram - reserved) * 1024, sram * 1024),) if reserved else (),
            ),
            *((Pool("dram", "workspace"),) if needed else ()),
            Pool("rom", "constant"),
        ),
    )


def _first_elements(source: ir.Value, target_: ir.Value) -> ir.Value:
    """As many elements of the source as the target holds."""
    type_ = ir.RankedTensorType(target_.type)
    part = tensor.ExtractSliceOp(
        type_, source, [], [], [], static_offsets=[0], static_sizes=type_.shape, static_strides=[1]
    )
    return linalg.transpose(part.result, outs=[target_], permutation=[0]).results[0]


def _intrinsics() -> tuple[Intrinsic, ...]:
    source, result, scratch = Operand("x", "in"), Operand("y", "out"), Operand("scratch", "out")
    return (
        Intrinsic("scale", "scale", (source, result)),
        Intrinsic("scale_tiled", "scale_tiled", (source, result, scratch)),
    )
