from collections.abc import Sequence

from mlir import ir

class DeviceOp(ir.OpView):
    def __init__(
        self,
        sym_name: str,
        kind: str,
        *,
        sym_visibility: str | None = None,
        loc: ir.Location | None = None,
        ip: ir.InsertionPoint | None = None,
    ) -> None: ...
    @property
    def sym_name(self) -> ir.StringAttr: ...
    @property
    def kind(self) -> ir.StringAttr: ...

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
