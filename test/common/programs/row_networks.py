"""A small network of quantised layers, as whole tensors and as rows in one loop over ticks.

The layers are described once. `layers` writes them one after the other on whole buffers;
`rows` writes a loop in which each operator computes row y at `rate * y + skew`, on buffers whose
rows have places that a first fit gives to the lifetimes that the same loop, run here, has.
"""

from __future__ import annotations

import numpy as np

from common.programs.row_layers import SPACE, Layer, Layers, Tensor
from forebay.network.model import ModelInfo, PlannedPool, Port
from forebay.pools import PoolKind

ROM = "#memref_pool.space<@rom>"


def _aligned(size: int) -> int:
    return -(-size // 16) * 16


class Network(Layers):
    """Layers as a program; the last tensor is summed over rows and columns, then multiplied."""

    def whole_peak(self) -> int:
        """The bytes of all tensors one after the other."""
        return self._allocs(self._tensors(), self.places(), rows=False)[1]

    def info(self, *, rows: bool) -> ModelInfo:
        """The description of the program for the engines."""
        last, source = self.found[-1].result, self.input
        peak = _aligned(self.row_peak() if rows else self.whole_peak())
        size = peak + _aligned(4 * last.channels) + last.channels
        rom = sum(_aligned(values.size) for values in self._all_constants().values())
        shape = (1, source.height, source.width, source.channels)
        return ModelInfo(
            "net",
            (Port("x", "int8", shape),),
            (Port("y", "int8", (self.classes,)),),
            (
                PlannedPool("sram", PoolKind.workspace, size=size),
                PlannedPool("rom", PoolKind.constant, size=rom),
            ),
            "ab" * 32,
        )

    def text(self, *, rows: bool, places: dict[str, list[int]] | None = None) -> str:
        """The planned program, with rows at places or with whole buffers one after the other."""
        last = self.found[-1].result
        tensors = self._tensors()
        allocs, end = self._allocs(tensors, places or self.places(), rows=rows)
        tail = _aligned(end)
        loop = self._loop(last) if rows else self._layers(last)
        source = f'%in: {self.input.type(rows=rows)} {{accel.name = "x"}}'
        result = f'%out: memref<{self.classes}xi8> {{accel.name = "y", bufferize.result}}'
        sums = f"memref<{last.channels}xi32, {SPACE}>"
        total = f"memref<{last.channels}xi8, {SPACE}>"
        return f"""
memref_pool.pool @sram workspace capacity {self.info(rows=rows).pools[0].size} align 16
memref_pool.pool @rom constant capacity {self.info(rows=rows).pools[1].size} align 16
{self._globals()}
func.func @main({source}, {result}) {{
{allocs}
  %sums = memref_pool.alloc at <@sram, {tail}> : {sums} loc("sums")
  %total = memref_pool.alloc at <@sram, {tail + _aligned(4 * last.channels)}> : {total} loc("total")
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
{self._constants()}
{loop}
{self._product(last)}
  return
}}
"""

    def _allocs(
        self, tensors: dict[str, Tensor], places: dict[str, list[int]], *, rows: bool
    ) -> tuple[str, int]:
        lines: list[str] = []
        end = 0
        for name, tensor in tensors.items():
            at = f"at_rows <@sram, {places[name]}>" if rows else f"at <@sram, {end}>"
            type_ = tensor.type(rows=rows)
            lines.append(f'  %{name} = memref_pool.alloc {at} : {type_} loc("{name}")')
            if not rows:
                end += _aligned(tensor.row_bytes * tensor.height)
        return "\n".join(lines), self.row_peak() if rows else end

    def _globals(self) -> str:
        lines: list[str] = []
        offset = 0
        for name, values in self._all_constants().items():
            shape = "x".join(map(str, values.shape))
            lines.append(
                f'memref.global "private" constant @{name} : memref<{shape}xi8, {ROM}> = '
                f"dense<{values.tolist()}> "
                f"{{memref_pool.placement = #memref_pool.placement<@rom, {offset}>}}"
            )
            offset += _aligned(values.size)
        return "\n".join(lines)

    def _all_constants(self) -> dict[str, np.ndarray]:
        channels = self.found[-1].result.channels
        source = np.random.default_rng(99)
        dense = source.integers(-128, 128, (self.classes, channels), np.int8)
        return {**self.constants, "dense": dense}

    def _constants(self) -> str:
        return "\n".join(
            f"  %{name} = memref.get_global @{name} : "
            f"memref<{'x'.join(map(str, values.shape))}xi8, {ROM}>"
            for name, values in self._all_constants().items()
        )

    def _loop(self, last: Tensor) -> str:
        body = "\n".join(self._guarded(number, layer) for number, layer in enumerate(self.found))
        return f"""
  %end = arith.constant {self.iterations} : index
  scf.for %t = %c0 to %end step %c1 {{
{body}
{self._guard(len(self.found), last)}
    scf.if %runs{len(self.found)} {{
{self._sum(last, rows=True)}
    }}
  }} {{memref_pool.by_rows}}"""

    def _layers(self, last: Tensor) -> str:
        layers = [self._whole(number, layer) for number, layer in enumerate(self.found)]
        return "\n".join([*layers, self._sum(last, rows=False)])

    def _guard(self, n: int, result: Tensor) -> str:
        return f"""
    %skew{n} = arith.constant {result.skew + self.late.get(f"{n}", 0)} : index
    %rate{n} = arith.constant {result.rate} : index
    %height{n} = arith.constant {result.height} : index
    %ahead{n} = arith.subi %t, %skew{n} : index
    %y{n} = arith.floordivsi %ahead{n}, %rate{n} : index
    %rest{n} = arith.remsi %ahead{n}, %rate{n} : index
    %whole{n} = arith.cmpi eq, %rest{n}, %c0 : index
    %below{n} = arith.cmpi ult, %y{n}, %height{n} : index
    %runs{n} = arith.andi %whole{n}, %below{n} : i1"""

    def _guarded(self, n: int, layer: Layer) -> str:
        guard = self._guard(n, layer.result)
        return f"{guard}\n    scf.if %runs{n} {{\n{self._row(n, layer)}\n    }}"

    def _row(self, n: int, layer: Layer) -> str:
        if layer.kind not in ("add", "concat"):
            return self._reduce(n, layer, rows=True)
        one, other = layer.sources
        lines = [
            f"      %{name}{n} = memref_pool.row %{tensor.name}[0, %y{n}] : "
            f"{tensor.type(rows=True)} to {tensor.row_type}"
            for name, tensor in (("one", one), ("other", other), ("to", layer.result))
        ]
        return "\n".join(lines) + self._combined(n, layer, layer.result.width)

    def _whole(self, n: int, layer: Layer) -> str:
        if layer.kind not in ("add", "concat"):
            return self._reduce(n, layer, rows=False)
        one, other = layer.sources
        lines = [
            f"      %{name}{n} = memref.collapse_shape %{tensor.name} [[0, 1, 2], [3]] : "
            f"{tensor.type(rows=False)} into "
            f"memref<{tensor.height * tensor.width}x{tensor.channels}xi8, {SPACE}>"
            for name, tensor in (("one", one), ("other", other), ("to", layer.result))
        ]
        return "\n".join(lines) + self._combined(n, layer, layer.result.width * layer.result.height)

    def _combined(self, n: int, layer: Layer, count: int) -> str:
        """The addition or concatenation of `count` columns."""
        one, other = layer.sources
        result = layer.result

        def of(tensor: Tensor) -> str:
            return f"memref<{count}x{tensor.channels}xi8, {SPACE}>"

        if layer.kind == "add":
            return f"""
      linalg.generic {{indexing_maps = [affine_map<(i, c) -> (i, c)>, affine_map<(i, c) -> (i, c)>],
                      iterator_types = ["parallel", "parallel"]}}
        ins(%one{n} : {of(one)}) outs(%to{n} : {of(result)}) {{
      ^bb0(%x: i8, %o: i8):
        %z = arith.addi %x, %o : i8
        linalg.yield %z : i8
      }}"""
        parts = ""
        for name, tensor, start in (("one", one, 0), ("other", other, one.channels)):
            offset = f", offset: {start}" if start else ""
            layout = f"strided<[{result.channels}, 1]{offset}>"
            part = f"memref<{count}x{tensor.channels}xi8, {layout}, {SPACE}>"
            parts += f"""
      %part_{name}{n} = memref.subview %to{n}[0, {start}] [{count}, {tensor.channels}] [1, 1]
        : {of(result)} to {part}
      memref.copy %{name}{n}, %part_{name}{n} : {of(tensor)} to {part}"""
        return parts

    def _reduce(self, n: int, layer: Layer, *, rows: bool) -> str:
        (source,), result, k = layer.sources, layer.result, layer.kernel
        window = f"0, y * {layer.stride} + ky - {layer.pad}, x * {layer.stride} + kx - {layer.pad}"
        depth = {"conv": f", {source.channels}", "depthwise": "", "pool": ""}[layer.kind]
        dims = "y, x, c, ky, kx" + (", k" if depth else "")
        weights = {
            "conv": f"memref<{result.channels}x{k}x{k}x{source.channels}xi8, {ROM}>",
            "depthwise": f"memref<{k}x{k}x{source.channels}xi8, {ROM}>",
            "pool": "",
        }[layer.kind]
        read = f"({dims}) -> ({window}, {'k' if depth else 'c'})"
        at_weights = {"conv": "(c, ky, kx, k)", "depthwise": "(ky, kx, c)", "pool": ""}[layer.kind]
        maps = [f"affine_map<{read}>"]
        if weights:
            maps.append(f"affine_map<({dims}) -> {at_weights}>")
        maps.append("affine_map<(y, x, c) -> (0, y, x, c)>")
        box = ""
        if rows:
            box = (
                f"at [%y{n}, 0, 0 | 0, 0{', 0' if depth else ''}] sizes [1, {result.width}, "
                f"{result.channels} | {k}, {k}{depth}]"
            )
        operands = f"%{source.name}" + (f", %w{n}" if weights else "")
        types = source.type(rows=rows) + (f", {weights}" if weights else "")
        product = """
        %wide_w = arith.extsi %w : i8 to i32
        %term = arith.muli %wide_x, %wide_w overflow<nsw> : i32"""
        product = product if weights else ""
        finish = "arith.divsi %sum, %count : i32" if not weights else "arith.shrsi %sum, %c7 : i32"
        return f"""
      accel.reduce [{result.height}, {result.width}, {result.channels} | {k}, {k}{depth}] {box}
        ins({operands} : {types}) outs(%{result.name} : {result.type(rows=rows)})
        maps [{", ".join(maps)}]
        init {{
          %zero = arith.constant 0 : i32
          accel.yield %zero : i32
        }} body {{
        ^bb0(%acc: i32, %x: i8{", %w: i8" if weights else ""}):
          %wide_x = arith.extsi %x : i8 to i32{product}
          %next = arith.addi %acc, {"%term" if weights else "%wide_x"} overflow<nsw> : i32
          accel.yield %next : i32
        }} finish {{
        ^bb0(%sum: i32, %count: i32):
          %c7 = arith.constant 7 : i32
          %scaled = {finish}
          %low = arith.constant -128 : i32
          %high = arith.constant 127 : i32
          %above = arith.maxsi %scaled, %low : i32
          %within = arith.minsi %above, %high : i32
          %narrow = arith.trunci %within : i32 to i8
          accel.yield %narrow : i8
        }}"""

    def _sum(self, last: Tensor, *, rows: bool) -> str:
        n = len(self.found)
        box = f"at [0 | %y{n}, 0] sizes [{last.channels} | 1, {last.width}]" if rows else ""
        total = f"memref<{last.channels}xi8, {SPACE}>"
        partial = f"accumulators(%sums : memref<{last.channels}xi32, {SPACE}>)" if rows else ""
        return f"""
      accel.reduce [{last.channels} | {last.height}, {last.width}] {box}
        ins(%{last.name} : {last.type(rows=rows)}) outs(%total : {total}) {partial}
        maps [affine_map<(c, y, x) -> (0, y, x, c)>, affine_map<(c) -> (c)>]
        init {{
          %zero = arith.constant 0 : i32
          accel.yield %zero : i32
        }} body {{
        ^bb0(%acc: i32, %x: i8):
          %wide = arith.extsi %x : i8 to i32
          %next = arith.addi %acc, %wide overflow<nsw> : i32
          accel.yield %next : i32
        }} finish {{
        ^bb0(%sum: i32, %count: i32):
          %area = arith.constant {last.height * last.width} : i32
          %mean = arith.divsi %sum, %area : i32
          %narrow = arith.trunci %mean : i32 to i8
          accel.yield %narrow : i8
        }}"""

    def _product(self, last: Tensor) -> str:
        total = f"memref<{last.channels}xi8, {SPACE}>"
        dense = f"memref<{self.classes}x{last.channels}xi8, {ROM}>"
        return f"""
  accel.reduce [{self.classes} | {last.channels}]
    ins(%total, %dense : {total}, {dense})
    outs(%out : memref<{self.classes}xi8>)
    maps [affine_map<(i, k) -> (k)>, affine_map<(i, k) -> (i, k)>, affine_map<(i) -> (i)>]
    init {{
      %zero = arith.constant 0 : i32
      accel.yield %zero : i32
    }} body {{
    ^bb0(%acc: i32, %x: i8, %w: i8):
      %wide_x = arith.extsi %x : i8 to i32
      %wide_w = arith.extsi %w : i8 to i32
      %term = arith.muli %wide_x, %wide_w overflow<nsw> : i32
      %next = arith.addi %acc, %term overflow<nsw> : i32
      accel.yield %next : i32
    }} finish {{
    ^bb0(%sum: i32, %count: i32):
      %c5 = arith.constant 5 : i32
      %scaled = arith.shrsi %sum, %c5 : i32
      %narrow = arith.trunci %scaled : i32 to i8
      accel.yield %narrow : i8
    }}"""


def mixed() -> Network:
    """Strides 1 and 2, depthwise, an addition in place, a concatenation, pooling."""
    network = Network(Tensor("in", 12, 6, 3, 1, 0, is_rows=False))
    a = network.conv(network.input, 4, (3, 1, 1))
    b = network.depthwise(a, (3, 1, 1))
    c = network.conv(b, 4, (1, 1, 0))
    d = network.add(a, c)
    e = network.conv(d, 6, (3, 2, 1))
    f = network.pool(e, (3, 1, 1))
    network.concat(e, f)
    return network


def stages() -> Network:
    """Two halvings, so that operators run at every second and every fourth iteration."""
    network = Network(Tensor("in", 16, 8, 2, 1, 0, is_rows=False), seed=7)
    a = network.depthwise(network.input, (3, 2, 1))
    b = network.conv(a, 6, (1, 1, 0))
    c = network.depthwise(b, (3, 2, 1))
    d = network.conv(c, 6, (3, 1, 1))
    network.add(c, d)
    return network


NETWORKS = {build.__name__: build for build in (mixed, stages)}
