from collections.abc import Sequence

from mlir import ir

from forebay._libs._forebay import OperandAttr as OperandAttr

class DeviceOp(ir.OpView):
    def __init__(
        self,
        sym_name: str,
        kind: str,
        *,
        sym_visibility: str | None = None,
        host: bool | None = None,
        base: int | None = None,
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
    def reference(self) -> ir.Region: ...

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

class ReduceOp(ir.OpView):
    def __init__(
        self,
        result: ir.Type | None,
        inputs: Sequence[ir.Value],
        params: Sequence[ir.Value],
        output: ir.Value,
        parallel: Sequence[int],
        reduction: Sequence[int],
        maps: Sequence[ir.AffineMap] | ir.ArrayAttr,
        *,
        loc: ir.Location | None = None,
        ip: ir.InsertionPoint | None = None,
    ) -> None: ...
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
