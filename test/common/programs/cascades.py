"""Programs that compute tensors row by row in one loop, and what they access in each iteration.

::

    program = Cascade(height=8, width=4)
    a = program.window(program.input, kernel=3, pad=1)          # 3 rows of the input per row
    b = program.add(program.input, program.window(a, stride=2))  # elementwise, into the second
    program.output(b)
    program.text()                                              # MLIR, before planning

Row y of an operator is computed at iteration `rate * y + skew`, when its last input row exists.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from itertools import groupby

SPACE = "#memref_pool.space<@sram>"


@dataclass(frozen=True)
class Tensor:
    """A tensor of `height` rows of `width` bytes; each row is made at `rate * y + skew`."""

    name: str
    height: int
    width: int
    rate: int
    skew: int
    is_rows: bool = True

    @property
    def type(self) -> str:
        """The MLIR type."""
        layout = "#memref_pool.rows<2>, " if self.is_rows else ""
        return f"memref<1x{self.height}x{self.width}xi8, {layout}{SPACE}>"

    @property
    def row_type(self) -> str:
        """The MLIR type of a row; of a contiguous tensor, with its offset."""
        if self.is_rows:
            return f"memref<{self.width}xi8, {SPACE}>"
        return f"memref<{self.width}xi8, strided<[1], offset: ?>, {SPACE}>"


@dataclass(frozen=True)
class Operator:
    """An operator: row y of `result` needs `kernel` rows of each source from `y * stride - pad`."""

    sources: tuple[Tensor, ...]
    result: Tensor
    kernel: int = 1
    stride: int = 1
    pad: int = 0
    dilation: int = 1

    def reads(self, y: int) -> Iterator[tuple[Tensor, int]]:
        """The rows that row y is computed from."""
        for source in self.sources:
            for k in range(self.kernel):
                row = y * self.stride + k * self.dilation - self.pad
                if 0 <= row < source.height:
                    yield source, row

    def skew(self, rate: int, height: int) -> int:
        """The first iteration at which rows can be computed in time."""
        made = [
            (source.rate * row + source.skew, y)
            for y in range(height)
            for source, row in self.reads(y)
        ]
        return max(0, *(at - rate * y for at, y in made))


@dataclass(frozen=True)
class Access:
    """An access to a row: the program point, the iteration and the operator."""

    tick: int
    iteration: int
    tensor: str
    row: int
    writes: bool


@dataclass
class Cascade:
    """A loop over ticks, with one guarded row kernel per operator."""

    height: int
    width: int
    in_pool: bool = True
    operators: list[Operator] = field(default_factory=list[Operator])
    late: dict[str, int] = field(default_factory=dict[str, int])
    """Additions to the skews of results, by name: a negative one is an error."""

    @property
    def input(self) -> Tensor:
        """The input, all of whose rows exist from the beginning."""
        return Tensor("input", self.height, self.width, 1, 0, is_rows=False)

    def window(
        self, source: Tensor, kernel: int = 3, stride: int = 1, pad: int = 1, dilation: int = 1
    ) -> Tensor:
        """Add a maximum over windows of rows, without padding at the bottom beyond the input."""
        height = (source.height + 2 * pad - dilation * (kernel - 1) - 1) // stride + 1
        rate = source.rate * stride
        shape = Operator((source,), source, kernel, stride, pad, dilation)
        return self._add(shape, height, source.width, rate)

    def add(self, one: Tensor, other: Tensor) -> Tensor:
        """Add a sum of two tensors, row by row, in place of the second, which then is the sum."""
        shape = Operator((one, other), other)
        skew = shape.skew(other.rate, other.height)
        result = Tensor(other.name, other.height, other.width, other.rate, skew, other.is_rows)
        self.operators.append(Operator((one, other), result))
        return result

    def copy(self, source: Tensor, *, is_rows: bool = False) -> Tensor:
        """Add a copy, row by row; by default into a contiguous tensor."""
        skew = Operator((source,), source).skew(source.rate, source.height)
        name = f"t{len(self.operators)}"
        result = Tensor(name, source.height, source.width, source.rate, skew, is_rows)
        self.operators.append(Operator((source,), result))
        return result

    def _add(self, shape: Operator, height: int, width: int, rate: int) -> Tensor:
        name = f"t{len(self.operators)}"
        skew = shape.skew(rate, height) + self.late.get(name, 0)
        result = Tensor(name, height, width, rate, skew)
        self.operators.append(
            Operator(shape.sources, result, shape.kernel, shape.stride, shape.pad, shape.dilation)
        )
        return result

    @property
    def iterations(self) -> int:
        """The trip count of the loop."""
        last = ((o.result.rate * (o.result.height - 1) + o.result.skew) for o in self.operators)
        return max(last) + 1

    def accesses(self) -> list[Access]:
        """All accesses in the order of the program.

        The oracle of lifetimes: it runs the loop and shares no code with the analyses.
        """
        found: list[Access] = []
        tick = 0
        for t in range(self.iterations):
            for operator in self.operators:
                y, rest = divmod(t - operator.result.skew, operator.result.rate)
                if rest or not 0 <= y < operator.result.height:
                    continue
                for source, row in operator.reads(y):
                    found.append(Access(tick, t, source.name, row, writes=False))
                found.append(Access(tick, t, operator.result.name, y, writes=True))
                tick += 1
        last = self.operators[-1].result
        return found + [
            Access(tick + y, self.iterations + y, last.name, y, writes=False)
            for y in range(last.height)
        ]

    def lifetimes(self) -> dict[tuple[str, int], tuple[int, int]]:
        """First and last access of each row; rows of the input live from the beginning."""
        found: dict[tuple[str, int], tuple[int, int]] = {}
        for access in self.accesses():
            key = (access.tensor, access.row)
            start = 0 if access.tensor == "input" else access.tick
            known = found.get(key, (start, access.tick))
            found[key] = (min(known[0], start), access.tick + 1)
        return found

    def reads_wrong_rows(self, places: Mapping[str, int]) -> bool:
        """Whether a run with rows at these places reads a byte that another row has overwritten.

        A row of a contiguous tensor is at its place in the tensor. An operator must not write over
        a row that it reads.
        """
        tensors = {o.result.name: o.result for o in self.operators} | {"input": self.input}

        def taken(access: Access) -> range:
            width = tensors[access.tensor].width
            start = places.get(f"{access.tensor}[{access.row}]")
            if start is None:
                start = places[access.tensor] + access.row * width
            return range(start, start + width)

        held: dict[int, tuple[str, int]] = {}
        for row in range(self.height):
            access = Access(0, 0, "input", row, writes=True)
            held.update(dict.fromkeys(taken(access), ("input", row)))
        for _, group in groupby(self.accesses(), key=lambda access: access.tick):
            accesses = list(group)
            (written,) = [a for a in accesses if a.writes] or [None]
            for access in accesses:
                own = (access.tensor, access.row)
                if not access.writes and any(held.get(byte) != own for byte in taken(access)):
                    return True
                is_other = written is not None and own != (written.tensor, written.row)
                if is_other and set(taken(access)) & set(taken(written)):
                    return True
            if written is not None:
                held.update(dict.fromkeys(taken(written), (written.tensor, written.row)))
        return False

    def text(self, *, pool: str = "memref_pool.pool @sram workspace align 16") -> str:
        """The program; the last result is copied to the caller's memory behind the loop."""
        last = self.operators[-1].result
        made = {o.result.name: o.result for o in self.operators}
        allocs = "\n".join(
            f'  %{name} = memref_pool.alloc : {tensor.type} loc("{name}")'
            for name, tensor in made.items()
        )
        body = "\n".join(
            self._kernel(number, operator) for number, operator in enumerate(self.operators)
        )
        source = self.input
        argument = '{accel.name = "input"}'
        plain = f"memref<1x{last.height}x{last.width}xi8>"
        return f"""
{pool}
#add = affine_map<(c) -> (c)>
func.func @main(%input: {source.type} {argument}, %out: {plain}) {{
{allocs}
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %end = arith.constant {self.iterations} : index
  scf.for %t = %c0 to %end step %c1 {{
{body}
  }} {{memref_pool.by_rows}}
{self._result(last, plain)}
  return
}}
"""

    def _result(self, last: Tensor, plain: str) -> str:
        """The copy of the last tensor into the caller's memory, row by row."""
        row = f"memref<{last.width}xi8, strided<[1], offset: ?>>"
        return f"""
  %rows = arith.constant {last.height} : index
  scf.for %y = %c0 to %rows step %c1 {{
{self._row("last", last, "%y")}
    %to = memref.subview %out[0, %y, 0] [1, 1, {last.width}] [1, 1, 1] : {plain} to {row}
    memref.copy %last, %to : {last.row_type} to {row}
  }} {{memref_pool.by_rows}}"""

    def _row(self, name: str, tensor: Tensor, index: str) -> str:
        if tensor.is_rows:
            return (
                f"    %{name} = memref_pool.row %{tensor.name}[0, {index}] : "
                f"{tensor.type} to {tensor.row_type}"
            )
        return (
            f"    %{name} = memref.subview %{tensor.name}[0, {index}, 0] [1, 1, {tensor.width}] "
            f"[1, 1, 1] : {tensor.type} to {tensor.row_type}"
        )

    def _kernel(self, number: int, operator: Operator) -> str:
        """The guard `(t - skew) mod rate == 0 and 0 <= (t - skew) / rate < height`, and the op."""
        result, n = operator.result, number
        return f"""
    %skew{n} = arith.constant {result.skew} : index
    %rate{n} = arith.constant {result.rate} : index
    %height{n} = arith.constant {result.height} : index
    %ahead{n} = arith.subi %t, %skew{n} : index
    %y{n} = arith.floordivsi %ahead{n}, %rate{n} : index
    %rest{n} = arith.remsi %ahead{n}, %rate{n} : index
    %whole{n} = arith.cmpi eq, %rest{n}, %c0 : index
    %below{n} = arith.cmpi ult, %y{n}, %height{n} : index
    %runs{n} = arith.andi %whole{n}, %below{n} : i1
    scf.if %runs{n} {{
{self._computation(n, operator)}
    }}"""

    def _computation(self, n: int, operator: Operator) -> str:
        result, source = operator.result, operator.sources[0]
        if len(operator.sources) == 2:
            one, _ = operator.sources
            return f"""
{self._row(f"one{n}", one, f"%y{n}")}
{self._row(f"other{n}", result, f"%y{n}")}
      linalg.generic {{indexing_maps = [#add, #add], iterator_types = ["parallel"]}}
        ins(%one{n} : {one.row_type}) outs(%other{n} : {result.row_type}) {{
      ^bb0(%x: i8, %sum: i8):
        %z = arith.addi %x, %sum : i8
        linalg.yield %z : i8
      }}"""
        if not result.is_rows or operator.kernel == 1 == operator.stride:
            return f"""
{self._row(f"from{n}", source, f"%y{n}")}
{self._row(f"to{n}", result, f"%y{n}")}
      memref.copy %from{n}, %to{n} : {source.row_type} to {result.row_type}"""
        index = f"y * {operator.stride} + k * {operator.dilation} - {operator.pad}"
        return f"""
      accel.reduce [{result.height}, {result.width} | {operator.kernel}]
        at [%y{n}, 0 | 0] sizes [1, {result.width} | {operator.kernel}]
        ins(%{source.name} : {source.type}) outs(%{result.name} : {result.type})
        maps [affine_map<(y, c, k) -> (0, {index}, c)>, affine_map<(y, c) -> (0, y, c)>]
        init {{
          %least = arith.constant -128 : i8
          accel.yield %least : i8
        }} body {{
        ^bb0(%most: i8, %x: i8):
          %next = arith.maxsi %most, %x : i8
          accel.yield %next : i8
        }} finish {{
        ^bb0(%most: i8, %count: i32):
          accel.yield %most : i8
        }}"""


def chain() -> Cascade:
    """Three windows, one of which halves the height; the last rows are copied out."""
    program = Cascade(8, 4)
    first = program.window(program.input)
    second = program.window(first, stride=2)
    program.window(second)
    return program


def residual() -> Cascade:
    """A skip connection that waits for two windows, and is added in place."""
    program = Cascade(9, 4)
    first = program.window(program.input)
    second = program.window(program.window(first))
    program.window(program.add(first, second), kernel=2, stride=2, pad=0)
    return program


def dilated() -> Cascade:
    """A window of every other row, with a stride: some rows are never read."""
    program = Cascade(12, 4)
    first = program.window(program.input, kernel=1, pad=0, stride=1)
    program.window(first, kernel=3, stride=4, pad=1, dilation=2)
    return program


def to_contiguous() -> Cascade:
    """A segment that ends in a contiguous tensor, which grows while the input dies."""
    program = Cascade(8, 4)
    program.copy(program.window(program.window(program.input)))
    return program


PROGRAMS = {build.__name__: build for build in (chain, residual, dilated, to_contiguous)}
