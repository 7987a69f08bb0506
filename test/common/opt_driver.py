"""`forebay-opt` with a few passes that only the tests know."""

import sys
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar, Literal

from mlir import ir

from forebay.cli.opt import main
from forebay.passes import Pass, PassError, Size, option
from forebay.passes._pass import register_pass
from forebay.planning.contract.effort import Effort


@dataclass(frozen=True)
class TestOptions(Pass):
    """Reports its options as an attribute."""

    name: ClassVar[str] = "test-options"

    flag: bool = option(False, "a flag")
    the_count: int = option(3, "a number", least=-9)
    text: str = option("word", "a text")
    items: tuple[str, ...] = option((), "a list")
    side: Literal["left", "right"] = option("left", "a side")
    effort: Effort = option(Effort.NORMAL, "an effort")
    size: Size = option(Size(64), "bytes")
    file: Path | None = option(None, "a file")
    pools: tuple[tuple[str, tuple[str, ...]], ...] = option((), "pools by name")

    def run(self, op: ir.Operation) -> None:
        values = (self.flag, self.the_count, self.text, self.items)
        values += (self.side, self.effort.name, self.size, self.file, self.pools)
        op.attributes["test.options"] = ir.StringAttr.get(repr(values))


@dataclass(frozen=True)
class TestVisit(Pass):
    """Marks a function, after walking it for a while."""

    name: ClassVar[str] = "test-visit"
    anchor: ClassVar[str] = "func.func"

    def run(self, op: ir.Operation) -> None:
        count = 0

        def visit(_: ir.Operation) -> ir.WalkResult:
            nonlocal count
            count += 1
            return ir.WalkResult.ADVANCE

        for _ in range(20):
            op.walk(visit)
        op.attributes["test.visited"] = ir.IntegerAttr.get(ir.IntegerType.get_signless(64), count)


@dataclass(frozen=True)
class TestAny(Pass):
    """Runs on whatever it is put on."""

    name: ClassVar[str] = "test-any"
    anchor: ClassVar[str] = ""

    def run(self, op: ir.Operation) -> None:
        op.attributes["test.any"] = ir.UnitAttr.get()


@dataclass(frozen=True)
class TestCreate(Pass):
    """Creates an operation of a dialect that the input does not use."""

    name: ClassVar[str] = "test-create"
    dialects: ClassVar[tuple[str, ...]] = ("emitc",)

    def run(self, op: ir.Operation) -> None:
        from mlir.dialects import emitc

        with ir.InsertionPoint.at_block_begin(op.regions[0].blocks[0]):
            emitc.VerbatimOp("// here", [])


@dataclass(frozen=True)
class TestRaise(Pass):
    """Fails in the given way."""

    name: ClassVar[str] = "test-raise"
    anchor: ClassVar[str] = "func.func"

    how: Literal["refuse", "crash", "invalid"] = option("refuse", "the way to fail")

    def run(self, op: ir.Operation) -> None:
        first = next(iter(op.regions[0].blocks[0]))
        if self.how == "refuse":
            raise PassError(first.location, "not this one", [(op.location, "in this function")])
        if self.how == "crash":
            raise KeyError("lost")
        ir.Operation.parse("arith.constant 0.0 : i32")


for pass_class in (TestOptions, TestVisit, TestAny, TestCreate, TestRaise):
    register_pass(pass_class)

if __name__ == "__main__":
    sys.argv[0] = "forebay-opt"
    main()
