from collections.abc import Sequence

from mlir import ir

from forebay._libs._forebay import OperandAttr as OperandAttr
from forebay._libs._forebay import TokenType as TokenType

class DeviceOp(ir.OpView):
    def __init__(
        self,
        sym_name: str,
        kind: str,
        *,
        sym_visibility: str | None = None,
        host: bool | None = None,
        base: int | None = None,
        handle: bool | None = None,
        peak: int | None = None,
        loc: ir.Location | None = None,
        ip: ir.InsertionPoint | None = None,
    ) -> None: ...
    @property
    def sym_name(self) -> ir.StringAttr: ...
    @property
    def kind(self) -> ir.StringAttr: ...
    @property
    def host(self) -> bool: ...
    @property
    def base(self) -> ir.IntegerAttr | None: ...
    @property
    def handle(self) -> bool: ...
    @property
    def peak(self) -> ir.IntegerAttr | None: ...

class IntrinsicOp(ir.OpView):
    def __init__(
        self,
        sym_name: str,
        device: str,
        symbol: str,
        signature: ir.ArrayAttr,
        *,
        sym_visibility: str | None = None,
        scalars: Sequence[str] | ir.ArrayAttr | None = None,
        queue: str | None = None,
        loc: ir.Location | None = None,
        ip: ir.InsertionPoint | None = None,
    ) -> None: ...
    @property
    def sym_name(self) -> ir.StringAttr: ...
    @property
    def device(self) -> ir.FlatSymbolRefAttr: ...
    @property
    def symbol(self) -> ir.StringAttr: ...
    @property
    def signature(self) -> ir.ArrayAttr: ...
    @property
    def scalars(self) -> ir.ArrayAttr: ...
    @property
    def queue(self) -> ir.FlatSymbolRefAttr | None: ...
    @property
    def reference(self) -> ir.Region: ...
    @property
    def cycles(self) -> ir.Region: ...

class CallOp(ir.OpView):
    def __init__(
        self,
        result_tensors: Sequence[ir.Type],
        callee: str,
        inputs: Sequence[ir.Value],
        outputs: Sequence[ir.Value],
        *,
        accumulate: Sequence[int] | None = None,
        config: ir.DictAttr | dict[str, ir.Attribute] | None = None,
        loc: ir.Location | None = None,
        ip: ir.InsertionPoint | None = None,
    ) -> None: ...
    @property
    def callee(self) -> ir.FlatSymbolRefAttr: ...
    @property
    def inputs(self) -> ir.OpOperandList: ...
    @property
    def outputs(self) -> ir.OpOperandList: ...
    @property
    def accumulate(self) -> ir.DenseI64ArrayAttr | None: ...
    @property
    def config(self) -> ir.DictAttr | None: ...
    @property
    def result_tensors(self) -> ir.OpResultList: ...

class DotOp(ir.OpView):
    def __init__(
        self,
        result: ir.Type,
        sum: ir.Value,
        lhs: ir.Value,
        rhs: ir.Value,
        *,
        offset: int | ir.IntegerAttr | None = None,
        lane: int | ir.IntegerAttr | None = None,
        loc: ir.Location | None = None,
        ip: ir.InsertionPoint | None = None,
    ) -> None: ...
    @property
    def sum(self) -> ir.Value: ...
    @property
    def lhs(self) -> ir.Value: ...
    @property
    def rhs(self) -> ir.Value: ...
    @property
    def offset(self) -> ir.IntegerAttr: ...
    @property
    def lane(self) -> ir.IntegerAttr | None: ...
    @property
    def result(self) -> ir.OpResult: ...

class DotsOp(ir.OpView):
    def __init__(
        self,
        result: ir.Type,
        sum: ir.Value,
        lhs: ir.Value,
        rhs: ir.Value,
        *,
        offset: int | ir.IntegerAttr | None = None,
        loc: ir.Location | None = None,
        ip: ir.InsertionPoint | None = None,
    ) -> None: ...
    @property
    def sum(self) -> ir.Value: ...
    @property
    def lhs(self) -> ir.Value: ...
    @property
    def rhs(self) -> ir.Value: ...
    @property
    def offset(self) -> ir.IntegerAttr: ...
    @property
    def result(self) -> ir.OpResult: ...

class DotEachOp(ir.OpView):
    def __init__(
        self,
        result: ir.Type,
        sum: ir.Value,
        lhs: ir.Value,
        rhs: ir.Value,
        *,
        offset: int | ir.IntegerAttr | None = None,
        loc: ir.Location | None = None,
        ip: ir.InsertionPoint | None = None,
    ) -> None: ...
    @property
    def sum(self) -> ir.Value: ...
    @property
    def lhs(self) -> ir.Value: ...
    @property
    def rhs(self) -> ir.Value: ...
    @property
    def offset(self) -> ir.IntegerAttr: ...
    @property
    def result(self) -> ir.OpResult: ...

class AddTotalsOp(ir.OpView):
    def __init__(
        self,
        result: ir.Type,
        start: ir.Value,
        sums: Sequence[ir.Value],
        *,
        loc: ir.Location | None = None,
        ip: ir.InsertionPoint | None = None,
    ) -> None: ...
    @property
    def start(self) -> ir.Value: ...
    @property
    def sums(self) -> ir.OpOperandList: ...
    @property
    def result(self) -> ir.OpResult: ...

class LoadExtendedOp(ir.OpView):
    def __init__(
        self,
        result: ir.Type,
        base: ir.Value,
        indices: Sequence[ir.Value],
        *,
        loc: ir.Location | None = None,
        ip: ir.InsertionPoint | None = None,
    ) -> None: ...
    @property
    def base(self) -> ir.Value: ...
    @property
    def indices(self) -> ir.OpOperandList: ...
    @property
    def result(self) -> ir.OpResult: ...

class LoadBetweenOp(ir.OpView):
    def __init__(
        self,
        result: ir.Type,
        base: ir.Value,
        indices: Sequence[ir.Value],
        begin: ir.Value,
        end: ir.Value,
        fill: int | ir.IntegerAttr,
        *,
        loc: ir.Location | None = None,
        ip: ir.InsertionPoint | None = None,
    ) -> None: ...
    @property
    def base(self) -> ir.Value: ...
    @property
    def indices(self) -> ir.OpOperandList: ...
    @property
    def begin(self) -> ir.Value: ...
    @property
    def end(self) -> ir.Value: ...
    @property
    def fill(self) -> ir.IntegerAttr: ...
    @property
    def result(self) -> ir.OpResult: ...

class MultiplyAddOp(ir.OpView):
    def __init__(
        self,
        result: ir.Type,
        sum: ir.Value,
        lhs: ir.Value,
        rhs: ir.Value,
        *,
        offset: int | ir.IntegerAttr | None = None,
        loc: ir.Location | None = None,
        ip: ir.InsertionPoint | None = None,
    ) -> None: ...
    @property
    def sum(self) -> ir.Value: ...
    @property
    def lhs(self) -> ir.Value: ...
    @property
    def rhs(self) -> ir.Value: ...
    @property
    def offset(self) -> ir.IntegerAttr: ...
    @property
    def result(self) -> ir.OpResult: ...

class StoreRescaledOp(ir.OpView):
    def __init__(
        self,
        sum: ir.Value,
        multiplier: ir.Value,
        shift: ir.Value,
        base: ir.Value,
        indices: Sequence[ir.Value],
        zero_point: int | ir.IntegerAttr,
        low: int | ir.IntegerAttr,
        high: int | ir.IntegerAttr,
        *,
        loc: ir.Location | None = None,
        ip: ir.InsertionPoint | None = None,
    ) -> None: ...
    @property
    def sum(self) -> ir.Value: ...
    @property
    def multiplier(self) -> ir.Value: ...
    @property
    def shift(self) -> ir.Value: ...
    @property
    def base(self) -> ir.Value: ...
    @property
    def indices(self) -> ir.OpOperandList: ...
    @property
    def zero_point(self) -> ir.IntegerAttr: ...
    @property
    def low(self) -> ir.IntegerAttr: ...
    @property
    def high(self) -> ir.IntegerAttr: ...

class QueueOp(ir.OpView):
    def __init__(
        self,
        sym_name: str,
        device: str,
        symbol: str,
        depth: int,
        *,
        sym_visibility: str | None = None,
        loc: ir.Location | None = None,
        ip: ir.InsertionPoint | None = None,
    ) -> None: ...
    @property
    def sym_name(self) -> ir.StringAttr: ...
    @property
    def device(self) -> ir.FlatSymbolRefAttr: ...
    @property
    def symbol(self) -> ir.StringAttr: ...
    @property
    def depth(self) -> ir.IntegerAttr: ...

class TransferOp(ir.OpView):
    def __init__(
        self,
        sym_name: str,
        device: str,
        symbol: str,
        sources: Sequence[str],
        targets: Sequence[str],
        *,
        sym_visibility: str | None = None,
        rank: int | None = None,
        queue: str | None = None,
        granule: int | None = None,
        limits: dict[str, ir.Attribute] | None = None,
        source_flags: int | None = None,
        target_flags: int | None = None,
        latency: int | None = None,
        bandwidth: int | None = None,
        loc: ir.Location | None = None,
        ip: ir.InsertionPoint | None = None,
    ) -> None: ...
    @property
    def sym_name(self) -> ir.StringAttr: ...
    @property
    def device(self) -> ir.FlatSymbolRefAttr: ...
    @property
    def symbol(self) -> ir.StringAttr: ...
    @property
    def sources(self) -> ir.ArrayAttr: ...
    @property
    def targets(self) -> ir.ArrayAttr: ...
    @property
    def rank(self) -> ir.IntegerAttr: ...
    @property
    def queue(self) -> ir.FlatSymbolRefAttr | None: ...
    @property
    def granule(self) -> ir.IntegerAttr | None: ...
    @property
    def limits(self) -> ir.Attribute | None: ...
    @property
    def source_flags(self) -> ir.IntegerAttr | None: ...
    @property
    def target_flags(self) -> ir.IntegerAttr | None: ...
    @property
    def latency(self) -> ir.IntegerAttr | None: ...
    @property
    def bandwidth(self) -> ir.IntegerAttr | None: ...

class MoveOp(ir.OpView):
    def __init__(
        self,
        transfer: str,
        source: ir.Value,
        target: ir.Value,
        *,
        loc: ir.Location | None = None,
        ip: ir.InsertionPoint | None = None,
    ) -> None: ...
    @property
    def transfer(self) -> ir.FlatSymbolRefAttr: ...
    @property
    def source(self) -> ir.Value: ...
    @property
    def target(self) -> ir.Value: ...

class StartOp(ir.OpView):
    def __init__(
        self,
        token: ir.Type,
        transfer: str,
        source: ir.Value,
        target: ir.Value,
        after: Sequence[ir.Value],
        *,
        loc: ir.Location | None = None,
        ip: ir.InsertionPoint | None = None,
    ) -> None: ...
    @property
    def transfer(self) -> ir.FlatSymbolRefAttr: ...
    @property
    def source(self) -> ir.Value: ...
    @property
    def target(self) -> ir.Value: ...
    @property
    def after(self) -> ir.OpOperandList: ...
    @property
    def token(self) -> ir.Value: ...

class LaunchOp(ir.OpView):
    def __init__(
        self,
        token: ir.Type,
        callee: str,
        inputs: Sequence[ir.Value],
        outputs: Sequence[ir.Value],
        after: Sequence[ir.Value],
        *,
        accumulate: Sequence[int] | None = None,
        config: ir.DictAttr | dict[str, ir.Attribute] | None = None,
        loc: ir.Location | None = None,
        ip: ir.InsertionPoint | None = None,
    ) -> None: ...
    @property
    def callee(self) -> ir.FlatSymbolRefAttr: ...
    @property
    def inputs(self) -> ir.OpOperandList: ...
    @property
    def outputs(self) -> ir.OpOperandList: ...
    @property
    def after(self) -> ir.OpOperandList: ...
    @property
    def accumulate(self) -> ir.DenseI64ArrayAttr | None: ...
    @property
    def config(self) -> ir.DictAttr | None: ...
    @property
    def token(self) -> ir.Value: ...

class WaitOp(ir.OpView):
    def __init__(
        self,
        tokens: Sequence[ir.Value],
        *,
        loc: ir.Location | None = None,
        ip: ir.InsertionPoint | None = None,
    ) -> None: ...
    @property
    def tokens(self) -> ir.OpOperandList: ...

class ReduceOp(ir.OpView):
    def __init__(
        self,
        result_tensors: Sequence[ir.Type],
        inputs: Sequence[ir.Value],
        params: Sequence[ir.Value],
        starts: Sequence[ir.Value],
        output: ir.Value,
        accumulators: Sequence[ir.Value],
        parallel: Sequence[int] | ir.DenseI64ArrayAttr,
        reduction: Sequence[int] | ir.DenseI64ArrayAttr,
        maps: Sequence[ir.AffineMap] | ir.ArrayAttr,
        *,
        static_starts: Sequence[int] | ir.DenseI64ArrayAttr | None = None,
        sizes: Sequence[int] | ir.DenseI64ArrayAttr | None = None,
        blocks: Sequence[int] | ir.DenseI64ArrayAttr | None = None,
        words: Sequence[int] | ir.DenseI64ArrayAttr | None = None,
        partial_sums: int | ir.IntegerAttr | None = None,
        lanes: Sequence[int] | ir.DenseI64ArrayAttr | None = None,
        peeled: Sequence[int] | ir.DenseI64ArrayAttr | None = None,
        loc: ir.Location | None = None,
        ip: ir.InsertionPoint | None = None,
    ) -> None: ...
    @property
    def starts(self) -> ir.OpOperandList: ...
    @property
    def accumulators(self) -> ir.OpOperandList: ...
    @property
    def result_tensors(self) -> ir.OpResultList: ...
    @property
    def static_starts(self) -> ir.DenseI64ArrayAttr | None: ...
    @property
    def sizes(self) -> ir.DenseI64ArrayAttr | None: ...
    @property
    def blocks(self) -> ir.DenseI64ArrayAttr | None: ...
    @blocks.setter
    def blocks(self, value: ir.DenseI64ArrayAttr) -> None: ...
    @property
    def words(self) -> ir.DenseI64ArrayAttr | None: ...
    @words.setter
    def words(self, value: ir.DenseI64ArrayAttr) -> None: ...
    @property
    def partial_sums(self) -> ir.IntegerAttr | None: ...
    @partial_sums.setter
    def partial_sums(self, value: ir.IntegerAttr) -> None: ...
    @property
    def lanes(self) -> ir.DenseI64ArrayAttr | None: ...
    @lanes.setter
    def lanes(self, value: ir.DenseI64ArrayAttr) -> None: ...
    @property
    def peeled(self) -> ir.DenseI64ArrayAttr | None: ...
    @peeled.setter
    def peeled(self, value: ir.DenseI64ArrayAttr) -> None: ...
    @property
    def inputs(self) -> ir.OpOperandList: ...
    @property
    def params(self) -> ir.OpOperandList: ...
    @property
    def output(self) -> ir.Value: ...
    @property
    def parallel(self) -> ir.DenseI64ArrayAttr: ...
    @property
    def reduction(self) -> ir.DenseI64ArrayAttr: ...
    @property
    def maps(self) -> ir.ArrayAttr: ...
    @property
    def init(self) -> ir.Region: ...
    @property
    def body(self) -> ir.Region: ...
    @property
    def finish(self) -> ir.Region: ...

class YieldOp(ir.OpView):
    def __init__(
        self,
        values: Sequence[ir.Value],
        *,
        loc: ir.Location | None = None,
        ip: ir.InsertionPoint | None = None,
    ) -> None: ...
    @property
    def values(self) -> ir.OpOperandList: ...
