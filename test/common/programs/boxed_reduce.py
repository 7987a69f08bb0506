"""`accel.reduce` cut into boxes of its domain: straight-line code, or a loop over starts."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

Cut = tuple[int, int]
"""Start and size in one dimension."""


@dataclass(frozen=True)
class Window:
    """A 1-D convolution over rows and channels, whose result also has the number of its points.

    `out[y, c] = 1000 * (bias[c] + sum of x[y * stride + ky * dilation - before, k] * w[c, ky, k])
    + number of points inside`. The domain is `(y, c | ky, k)`.
    """

    rows: int
    channels: int
    kernel: int
    depth: int
    height: int
    stride: int = 1
    dilation: int = 1
    before: int = 0

    @property
    def parallel(self) -> tuple[int, ...]:
        return (self.rows, self.channels)

    @property
    def reduction(self) -> tuple[int, ...]:
        return (self.kernel, self.depth)

    def inputs(self, seed: int) -> list[np.ndarray]:
        rng = np.random.default_rng(seed)
        shapes = ((self.height, self.depth), (self.channels, self.kernel, self.depth))
        arrays = [rng.integers(-128, 128, shape).astype(np.int8) for shape in shapes]
        return [*arrays, rng.integers(-999, 999, self.channels).astype(np.int32)]

    def expected(self, x: np.ndarray, w: np.ndarray, bias: np.ndarray) -> np.ndarray:
        """Point by point, as the description of the op says."""
        out = np.zeros(self.parallel, np.int64)
        for y, c in itertools.product(*map(range, self.parallel)):
            out[y, c] = 1000 * int(bias[c])
            for ky, k in itertools.product(*map(range, self.reduction)):
                row = y * self.stride + ky * self.dilation - self.before
                if 0 <= row < self.height:
                    out[y, c] += 1000 * int(x[row, k]) * int(w[c, ky, k]) + 1
        return out.astype(np.int32)

    @property
    def aliases(self) -> str:
        row = f"y * {self.stride} + ky * {self.dilation} - {self.before}"
        return f"""
#x = affine_map<(y, c, ky, k) -> ({row}, k)>
#w = affine_map<(y, c, ky, k) -> (c, ky, k)>
#b = affine_map<(y, c) -> (c)>
#o = affine_map<(y, c) -> (y, c)>
"""

    def types(self, kind: str = "tensor", space: str = "") -> tuple[str, str, str, str]:
        def one(*shape: object) -> str:
            return f"{kind}<{'x'.join(map(str, shape))}{space}>"

        return (
            one(self.height, self.depth, "i8"),
            one(self.channels, self.kernel, self.depth, "i8"),
            one(self.channels, "i32"),
            one(self.rows, self.channels, "i32"),
        )

    def op(self, box: str, out: str, kept: str, result: str, kind: str = "tensor") -> str:
        """The op with `at ...`, destination and `accumulators(...)` as text."""
        x, w, b, o = self.types(kind)
        domain = f"{self.rows}, {self.channels} | {self.kernel}, {self.depth}"
        return f"""accel.reduce [{domain}] {box}
    ins(%x, %w : {x}, {w}) params(%b : {b}) outs({out} : {o}) {kept} maps [#x, #w, #b, #o]
    init {{
    ^bb0(%b0: i32):
      accel.yield %b0 : i32
    }} body {{
    ^bb0(%acc: i32, %x0: i8, %w0: i8):
      %x1 = arith.extsi %x0 : i8 to i32
      %w1 = arith.extsi %w0 : i8 to i32
      %p = arith.muli %x1, %w1 : i32
      %s = arith.addi %acc, %p : i32
      accel.yield %s : i32
    }} finish {{
    ^bb0(%acc: i32, %count: i32, %b0: i32):
      %thousand = arith.constant 1000 : i32
      %high = arith.muli %acc, %thousand : i32
      %both = arith.addi %high, %count : i32
      accel.yield %both : i32
    }} {result}"""


def accumulators(sizes: Sequence[int], kind: str = "tensor") -> str:
    """The type of the accumulators of a box with these sizes."""
    return f"{kind}<{sizes[0]}x{sizes[1]}xi32>"


def straight(window: Window, tiles: Sequence[Sequence[Cut]], parts: Sequence[Sequence[Cut]]) -> str:
    """Every tile (cuts of y and c) by all parts (cuts of ky and k), one op after the other."""
    x, w, b, o = window.types()
    lines, out = ["%o0 = tensor.empty() : " + o], "%o0"
    for number, tile in enumerate(tiles):
        sizes = [size for _, size in tile]
        kind = accumulators(sizes)
        lines.append(f"%a{number}_0 = tensor.empty() : {kind}")
        lines.append(f"%n{number}_0 = tensor.empty() : {kind}")
        kept = [f"%a{number}_0", f"%n{number}_0"]
        for step, part in enumerate(parts):
            whole = tuple(size for _, size in part) == window.reduction
            box = boxed([*tile, *part])
            name = f"%r{number}_{step}"
            accumulated = "" if whole else f"accumulators({', '.join(kept)} : {kind}, {kind})"
            types = o if whole else f"{o}, {kind}, {kind}"
            count = "" if whole else ":3"
            lines.append(f"{name}{count} = {window.op(box, out, accumulated, '-> ' + types)}")
            out = name if whole else f"{name}#0"
            kept = kept if whole else [f"{name}#1", f"{name}#2"]
    body = "\n  ".join(lines)
    return f"""{window.aliases}
func.func @main(%x: {x}, %w: {w}, %b: {b}) -> {o} {{
  {body}
  return {out} : {o}
}}"""


def boxed(cuts: Sequence[Cut]) -> str:
    """`at [...] sizes [...]` with constant starts."""
    (y, h), (c, n), (ky, kh), (k, d) = cuts
    return f"at [{y}, {c} | {ky}, {k}] sizes [{h}, {n} | {kh}, {d}]"


def looped(window: Window, sizes: Sequence[int]) -> str:
    """Loops over the starts of equal boxes; the sizes divide the extents."""
    x, w, b, o = window.types("memref")
    extents = (*window.parallel, *window.reduction)
    whole = tuple(sizes[2:]) == window.reduction
    kind = accumulators(sizes, "memref")
    starts = [
        "0" if s == e else f"%s{d}" for d, (s, e) in enumerate(zip(sizes, extents, strict=True))
    ]
    box = f"at [{starts[0]}, {starts[1]} | {starts[2]}, {starts[3]}] sizes "
    box += f"[{sizes[0]}, {sizes[1]} | {sizes[2]}, {sizes[3]}]"
    kept = "" if whole else f"accumulators(%a, %n : {kind}, {kind})"
    lines = [f"%e{d} = arith.constant {e} : index" for d, e in enumerate(extents)]
    lines += [f"%z{d} = arith.constant {s} : index" for d, s in enumerate(sizes)]
    lines += ["%zero = arith.constant 0 : index"]
    lines += [f"scf.for %s{d} = %zero to %e{d} step %z{d} {{" for d in range(4)]
    lines += [window.op(box, "%o", kept, "", "memref"), "}}}}"]
    text = "\n  ".join(lines)
    return f"""{window.aliases}
func.func @main(%x: {x} {{accel.name = "x"}}, %w: {w} {{accel.name = "w"}},
    %b: {b} {{accel.name = "b"}}, %o: {o} {{accel.name = "o", bufferize.result}}) {{
  ALLOCATIONS
  {text}
  return
}}"""


def looped_tensors(window: Window, sizes: Sequence[int]) -> str:
    """Loops over equal boxes, whose tensors are carried: rows outside, parts of the depth inside.

    `sizes` are those of the box; channels and kernel are whole.
    """
    x, w, b, o = window.types()
    rows, depth = sizes[0], sizes[3]
    kind = accumulators(sizes)
    box = f"at [%y, 0 | 0, %k] sizes [{rows}, {sizes[1]} | {sizes[2]}, {depth}]"
    op = window.op(box, "%c1", f"accumulators(%a, %n : {kind}, {kind})", f"-> {o}, {kind}, {kind}")
    return f"""{window.aliases}
func.func @main(%x: {x}, %w: {w}, %b: {b}) -> {o} {{
  %zero = arith.constant 0 : index
  %rows = arith.constant {window.rows} : index
  %depth = arith.constant {window.depth} : index
  %row_step = arith.constant {rows} : index
  %depth_step = arith.constant {depth} : index
  %e = tensor.empty() : {o}
  %r = scf.for %y = %zero to %rows step %row_step iter_args(%c0 = %e) -> ({o}) {{
    %a0 = tensor.empty() : {kind}
    %n0 = tensor.empty() : {kind}
    %t:3 = scf.for %k = %zero to %depth step %depth_step
        iter_args(%c1 = %c0, %a = %a0, %n = %n0) -> ({o}, {kind}, {kind}) {{
      %p:3 = {op}
      scf.yield %p#0, %p#1, %p#2 : {o}, {kind}, {kind}
    }}
    scf.yield %t#0 : {o}
  }}
  return %r : {o}
}}"""
