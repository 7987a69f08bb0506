from collections.abc import Sequence
from enum import IntEnum

from mlir import ir

from forebay._libs._forebay import CertificateAttr as CertificateAttr
from forebay._libs._forebay import PlacementAttr as PlacementAttr
from forebay._libs._forebay import SpaceAttr as SpaceAttr

class PoolKind(IntEnum):
    workspace = 0
    constant = 1
    state = 2

class PoolOp(ir.OpView):
    def __init__(
        self,
        sym_name: str,
        kind: PoolKind,
        *,
        sym_visibility: str | None = None,
        capacity: int | None = None,
        alignment: int | None = None,
        reserved: Sequence[int] | None = None,
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
    def capacity(self) -> ir.IntegerAttr | None: ...
    @property
    def alignment(self) -> ir.IntegerAttr | None: ...
    @property
    def reserved(self) -> ir.DenseI64ArrayAttr | None: ...
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
