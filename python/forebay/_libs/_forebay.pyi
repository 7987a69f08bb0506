from collections.abc import Callable, Sequence

from mlir import ir

def register_dialects(registry: ir.DialectRegistry) -> None: ...
def register_pass(
    argument: str,
    description: str,
    anchor: str,
    options: Sequence[tuple[str, str, str, str]],
    dialects: Sequence[str],
    run: Callable[[ir.Operation, list[list[str]]], bool],
) -> None: ...
def run_pipeline(
    operation: ir.Operation, pipeline: str, verify_each: bool = True
) -> tuple[bool, list[str]]: ...
def retype(elements: ir.Attribute, type: ir.Type) -> ir.Attribute: ...
def emit_error(
    location: ir.Location, message: str, notes: Sequence[tuple[ir.Location, str]]
) -> None: ...
def opt_main(arguments: Sequence[str], registry: ir.DialectRegistry) -> int: ...
def lsp_server_main(arguments: Sequence[str], registry: ir.DialectRegistry) -> int: ...

class SpaceAttr(ir.Attribute):
    @classmethod
    def get(cls, pools: Sequence[str], context: ir.Context | None = None) -> SpaceAttr: ...
    @property
    def pools(self) -> tuple[str, ...]: ...

class PlacementAttr(ir.Attribute):
    @classmethod
    def get(cls, pool: str, offset: int, context: ir.Context | None = None) -> PlacementAttr: ...
    @property
    def pool(self) -> str: ...
    @property
    def offset(self) -> int: ...

class CertificateAttr(ir.Attribute):
    @classmethod
    def get(
        cls,
        planner: str,
        peak: int,
        lower_bound: int,
        proof: str = "",
        live: Sequence[str] = (),
        step: str = "",
        holes: Sequence[int] = (),
        context: ir.Context | None = None,
    ) -> CertificateAttr: ...
    @property
    def planner(self) -> str: ...
    @property
    def peak(self) -> int: ...
    @property
    def lower_bound(self) -> int: ...
    @property
    def proof(self) -> str: ...
    @property
    def live(self) -> tuple[str, ...]: ...
    @property
    def step(self) -> str: ...
    @property
    def holes(self) -> tuple[int, ...]: ...

class OperandAttr(ir.Attribute):
    @classmethod
    def get(
        cls,
        name: str,
        access: str,
        pools: Sequence[str] = (),
        align: int = 1,
        context: ir.Context | None = None,
    ) -> OperandAttr: ...
    @property
    def name(self) -> str: ...
    @property
    def access(self) -> str: ...
    @property
    def pools(self) -> tuple[str, ...]: ...
    @property
    def align(self) -> int: ...

class TokenType(ir.Type):
    @classmethod
    def get(cls, context: ir.Context | None = None) -> TokenType: ...
