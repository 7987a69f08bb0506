"""GEMM and ALU: micro-ops in two loops over ACC."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from forebay.isa.faults import OperandLimit, SimulatorOnly, WrongOperand
from forebay.isa.vta.instructions import AluOp, VtaAlu, VtaGemm
from forebay.isa.vta.state import VtaState

_Elements = NDArray[np.int64]


class _Indices(NamedTuple):
    """An index of each memory per iteration: outer loop, inner loop, micro-op."""

    dst: _Elements
    src: _Elements
    wgt: _Elements


def gemm(state: VtaState, step: VtaGemm) -> None:
    """Add `WGT[w] @ INP[s]` to `ACC[d]` in every iteration, wrapping; `reset` stores zeros."""
    index = _indices(state, step, step.wgt_outer, step.wgt_inner)
    if not index.dst.size:
        return
    if step.reset:
        touched = np.unique(index.dst)
        state.write("dst", state.acc, touched, 0)
        state.computed[touched] = False
        return
    inputs = state.read("src", state.inp, index.src).astype(np.int32)
    weights = state.read("wgt", state.wgt, index.wgt).astype(np.int32)
    products = np.einsum("nk,nok->no", inputs, weights)
    touched = np.unique(index.dst)
    sums = state.read("dst", state.acc, touched).copy()
    np.add.at(sums, np.searchsorted(touched, index.dst), products)
    state.write("dst", state.acc, touched, sums)
    state.computed[touched] = True


def alu(state: VtaState, step: VtaAlu) -> None:
    """Combine `ACC[d]` with the immediate or with `ACC[s]` in every iteration, in order."""
    if step.op is AluOp.MUL:
        state.report(SimulatorOnly, "op", "is MUL, which hardware does not have")
    index = _indices(state, step, 0, 0)
    if not index.dst.size:
        return
    state.require_range("src", state.acc, index.src)
    used = index.dst if step.use_immediate else np.concatenate([index.dst, index.src])
    state.read("dst" if step.use_immediate else "dst and src", state.acc, np.unique(used))
    for dst, src in _batches(step, index):
        left = state.acc.data[dst].astype(np.int64)
        right = np.int64(step.immediate) if step.use_immediate else state.acc.data[src]
        values = _combined(state, step.op, left, np.asarray(right, np.int64))
        state.acc.data[dst] = values.astype(np.uint32).view(np.int32)
    touched = np.unique(index.dst)
    state.write("dst", state.acc, touched, state.acc.data[touched])
    state.computed[touched] = True


def _batches(step: VtaAlu, index: _Indices) -> list[tuple[_Elements, _Elements]]:
    """Return all iterations at once if none depends on another, else one by one."""
    unique = len(np.unique(index.dst)) == len(index.dst)
    own = np.array_equal(index.dst, index.src)
    if unique and (step.use_immediate or own or not np.isin(index.src, index.dst).any()):
        return [(index.dst, index.src)]
    return [(index.dst[at : at + 1], index.src[at : at + 1]) for at in range(len(index.dst))]


def _combined(state: VtaState, op: AluOp, left: _Elements, right: _Elements) -> _Elements:
    match op:
        case AluOp.MIN:
            return np.minimum(left, right)
        case AluOp.MAX:
            return np.maximum(left, right)
        case AluOp.ADD:
            return left + right
        case AluOp.MUL:
            return left * right
        case AluOp.SHR:
            _require_shift(state, right)
            return np.where(right >= 0, left >> np.maximum(right, 0), left << np.maximum(-right, 0))


def _require_shift(state: VtaState, amount: _Elements) -> None:
    low, high = int(amount.min()), int(amount.max())
    if low < -31 or high > 31:
        state.report(WrongOperand, "shift", f"is {low} to {high}; 32 and more are undefined")
    if low < 0 or high > 15:
        state.report(OperandLimit, "shift", f"is {low} to {high}; every build shifts by 0 to 15")


def _indices(state: VtaState, step: VtaGemm | VtaAlu, wgt_outer: int, wgt_inner: int) -> _Indices:
    words = state.read(
        "uop", state.uop, np.arange(step.uop_begin, max(step.uop_begin, step.uop_end))
    )
    words = words.astype(np.int64)
    outer = np.arange(step.outer)[:, None, None]
    inner = np.arange(step.inner)[None, :, None]
    dst = (words & 0x7FF) + outer * step.dst_outer + inner * step.dst_inner
    src = (words >> 11 & 0x7FF) + outer * step.src_outer + inner * step.src_inner
    wgt = (words >> 22) + outer * wgt_outer + inner * wgt_inner
    return _Indices(dst.ravel(), src.ravel(), wgt.ravel())
