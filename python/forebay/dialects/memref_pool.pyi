from collections.abc import Sequence
from enum import IntEnum

from mlir import ir

from forebay._libs._forebay import CertificateAttr as CertificateAttr
from forebay._libs._forebay import PlacementAttr as PlacementAttr
from forebay._libs._forebay import RowPlacementAttr as RowPlacementAttr
from forebay._libs._forebay import RowsAttr as RowsAttr
from forebay._libs._forebay import SpaceAttr as SpaceAttr
from forebay.pools import Fill as Fill
from forebay.pools import PoolKind as PoolKind

class BufferKind(IntEnum):
    workspace = 0
    constant = 1
    state = 2
    input = 3
    output = 4

class PoolOp(ir.OpView):
    def __init__(
        self,
        sym_name: str,
        kind: PoolKind,
        *,
        sym_visibility: str | None = None,
        local: bool | None = None,
        is_register: bool | None = None,
        capacity: int | None = None,
        alignment: int | None = None,
        base: int | None = None,
        start: int | None = None,
        unit: int | None = None,
        banks: int | None = None,
        cost: int | None = None,
        weight: int | None = None,
        reserved: Sequence[int] | None = None,
        fill: Fill | None = None,
        section: str | None = None,
        readers: Sequence[str] | None = None,
        writers: Sequence[str] | None = None,
        certificate: CertificateAttr | None = None,
        loc: ir.Location | None = None,
        ip: ir.InsertionPoint | None = None,
    ) -> None: ...
    @property
    def sym_name(self) -> ir.StringAttr: ...
    @property
    def kind(self) -> ir.IntegerAttr: ...
    @property
    def local(self) -> bool: ...
    @property
    def is_register(self) -> bool: ...
    @property
    def capacity(self) -> ir.IntegerAttr | None: ...
    @property
    def alignment(self) -> ir.IntegerAttr | None: ...
    @property
    def base(self) -> ir.IntegerAttr | None: ...
    @property
    def start(self) -> ir.IntegerAttr | None: ...
    @property
    def unit(self) -> ir.IntegerAttr | None: ...
    @property
    def banks(self) -> ir.IntegerAttr | None: ...
    @property
    def cost(self) -> ir.IntegerAttr | None: ...
    @property
    def weight(self) -> ir.IntegerAttr | None: ...
    @property
    def reserved(self) -> ir.DenseI64ArrayAttr | None: ...
    @property
    def fill(self) -> ir.IntegerAttr | None: ...
    @property
    def section(self) -> ir.StringAttr | None: ...
    @property
    def readers(self) -> ir.ArrayAttr | None: ...
    @property
    def writers(self) -> ir.ArrayAttr | None: ...
    @property
    def certificate(self) -> CertificateAttr | None: ...
    @certificate.setter
    def certificate(self, value: CertificateAttr) -> None: ...

class AllocOp(ir.OpView):
    def __init__(
        self,
        memref: ir.Type,
        *,
        alignment: int | None = None,
        pinned: PlacementAttr | None = None,
        placement: PlacementAttr | None = None,
        pinned_rows: RowPlacementAttr | None = None,
        row_placement: RowPlacementAttr | None = None,
        loc: ir.Location | None = None,
        ip: ir.InsertionPoint | None = None,
    ) -> None: ...
    @property
    def memref(self) -> ir.OpResult: ...
    @property
    def alignment(self) -> ir.IntegerAttr | None: ...
    @property
    def pinned(self) -> PlacementAttr | None: ...
    @property
    def placement(self) -> PlacementAttr | None: ...
    @placement.setter
    def placement(self, value: PlacementAttr) -> None: ...
    @property
    def pinned_rows(self) -> RowPlacementAttr | None: ...
    @property
    def row_placement(self) -> RowPlacementAttr | None: ...
    @row_placement.setter
    def row_placement(self, value: RowPlacementAttr) -> None: ...

class RowOp(ir.OpView):
    def __init__(
        self,
        row: ir.Type,
        source: ir.Value,
        indices: Sequence[ir.Value],
        static_indices: Sequence[int],
        *,
        loc: ir.Location | None = None,
        ip: ir.InsertionPoint | None = None,
    ) -> None: ...
    @property
    def source(self) -> ir.Value: ...
    @property
    def indices(self) -> ir.OpOperandList: ...
    @property
    def static_indices(self) -> ir.DenseI64ArrayAttr: ...
    @property
    def row(self) -> ir.OpResult: ...

class AddressOp(ir.OpView):
    def __init__(
        self,
        memref: ir.Type,
        placement: PlacementAttr,
        *,
        loc: ir.Location | None = None,
        ip: ir.InsertionPoint | None = None,
    ) -> None: ...
    @property
    def placement(self) -> PlacementAttr: ...
    @property
    def memref(self) -> ir.Value: ...

class CopyOp(ir.OpView):
    def __init__(
        self,
        result: ir.Type | None,
        source: ir.Value,
        target: ir.Value,
        *,
        loc: ir.Location | None = None,
        ip: ir.InsertionPoint | None = None,
    ) -> None: ...
    @property
    def source(self) -> ir.Value: ...
    @property
    def target(self) -> ir.Value: ...

class ProblemOp(ir.OpView):
    def __init__(
        self,
        sym_name: str,
        *,
        sym_visibility: str | None = None,
        steps: Sequence[str] | None = None,
        loc: ir.Location | None = None,
        ip: ir.InsertionPoint | None = None,
    ) -> None: ...
    @property
    def sym_name(self) -> ir.StringAttr: ...
    @property
    def steps(self) -> ir.ArrayAttr | None: ...
    @property
    def body(self) -> ir.Region: ...

class BufferOp(ir.OpView):
    def __init__(
        self,
        sym_name: str,
        kind: BufferKind,
        size: int,
        candidates: Sequence[str],
        *,
        sym_visibility: str | None = None,
        lifetime: Sequence[int] | None = None,
        costs: Sequence[int] | None = None,
        alignment: int | None = None,
        pinned_pool: str | None = None,
        pinned_offset: int | None = None,
        pinned_by: Sequence[str] | None = None,
        alias: str | None = None,
        block_name: str | None = None,
        block_offset: int | None = None,
        origin: str | None = None,
        placement: PlacementAttr | None = None,
        loc: ir.Location | None = None,
        ip: ir.InsertionPoint | None = None,
    ) -> None: ...
    @property
    def sym_name(self) -> ir.StringAttr: ...
    @property
    def kind(self) -> ir.IntegerAttr: ...
    @property
    def size(self) -> ir.IntegerAttr: ...
    @property
    def lifetime(self) -> ir.DenseI64ArrayAttr | None: ...
    @property
    def candidates(self) -> ir.ArrayAttr: ...
    @property
    def costs(self) -> ir.DenseI64ArrayAttr | None: ...
    @property
    def alignment(self) -> ir.IntegerAttr | None: ...
    @property
    def pinned_pool(self) -> ir.FlatSymbolRefAttr | None: ...
    @property
    def pinned_offset(self) -> ir.IntegerAttr | None: ...
    @property
    def pinned_by(self) -> ir.ArrayAttr | None: ...
    @property
    def alias(self) -> ir.StringAttr | None: ...
    @property
    def block_name(self) -> ir.StringAttr | None: ...
    @property
    def block_offset(self) -> ir.IntegerAttr | None: ...
    @property
    def origin(self) -> ir.StringAttr | None: ...
    @property
    def placement(self) -> PlacementAttr | None: ...
    @placement.setter
    def placement(self, value: PlacementAttr) -> None: ...

class ConflictOp(ir.OpView):
    def __init__(
        self,
        first: str,
        second: str,
        *,
        loc: ir.Location | None = None,
        ip: ir.InsertionPoint | None = None,
    ) -> None: ...
    @property
    def first(self) -> ir.FlatSymbolRefAttr: ...
    @property
    def second(self) -> ir.FlatSymbolRefAttr: ...

class SeparateOp(ir.OpView):
    def __init__(
        self,
        first: str,
        second: str,
        *,
        shared_byte: int | None = None,
        same_bank: int | None = None,
        loc: ir.Location | None = None,
        ip: ir.InsertionPoint | None = None,
    ) -> None: ...
    @property
    def first(self) -> ir.FlatSymbolRefAttr: ...
    @property
    def second(self) -> ir.FlatSymbolRefAttr: ...
    @property
    def shared_byte(self) -> ir.IntegerAttr | None: ...
    @property
    def same_bank(self) -> ir.IntegerAttr | None: ...
