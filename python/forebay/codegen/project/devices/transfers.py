"""The C functions of transfers and queues that a network calls, with their prototypes."""

from __future__ import annotations

from mlir.ir import Module, OpView
from msgspec import Struct

from forebay.codegen.project.devices.intrinsics import (
    CDeclaration,
    Parameter,
    declarations_of,
    handle_parameter,
    takes_handle,
)
from forebay.dialects.accel import LaunchOp, MoveOp, QueueOp, StartOp, TransferOp, WaitOp
from forebay.ir.machine.devices import intrinsic_of
from forebay.ir.machine.move_arguments import parameter_names_of, unit_of
from forebay.ir.machine.pools import pools_in
from forebay.ir.machine.tokens import queue_of_token
from forebay.ir.machine.transfers import (
    pools_of,
    queue_of,
    transfer_of,
    used_transfers,
)
from forebay.ir.nested import ops_nested_in, ops_of
from forebay.network.errors import EmissionError


class TransferPrototype(Struct, frozen=True):
    """The C function of transfers, one per instance of the device, and how the program uses it."""

    symbol: str
    parameters: tuple[Parameter, ...]
    transfers: tuple[TransferOp, ...]
    is_called: bool
    is_started: bool

    @property
    def handle(self) -> tuple[Parameter, ...]:
        """Return the first parameter if it is the device's handle, else nothing."""
        return self.parameters[:1] if takes_handle(self.parameters) else ()

    @property
    def has_reference(self) -> bool:
        """Return True: the effect of a transfer is known without a reference in the target."""
        return True

    @property
    def declarations(self) -> tuple[CDeclaration, ...]:
        """Return the functions that the program uses."""
        return declarations_of(
            self.symbol, self.parameters, is_called=self.is_called, is_started=self.is_started
        )


class QueueFunctions(Struct, frozen=True):
    """The C functions of queues: wait for a ticket, and start the next operation after a ticket.

    `is_waited_for` and `takes_order` say which of the two the program uses.
    """

    symbol: str
    queues: tuple[QueueOp, ...]
    is_waited_for: bool
    takes_order: bool
    handle: tuple[Parameter, ...] = ()

    @property
    def declarations(self) -> tuple[CDeclaration, ...]:
        """Return the functions that the program uses."""
        given = (*self.handle, Parameter("ticket", "uint32_t", is_pointer=False))
        waits = [CDeclaration(f"{self.symbol}_wait", given)] if self.is_waited_for else []
        after = [CDeclaration(f"{self.symbol}_after", given)] if self.takes_order else []
        return (*waits, *after)


def transfer_prototypes_of(module: Module) -> tuple[TransferPrototype, ...]:
    """Return the prototypes of the transfers in use, in the order of the module.

    Raises EmissionError when two transfers share a C symbol but need different prototypes.
    """
    moved = {op.transfer.value for op in ops_of(module.operation, MoveOp)}
    started = {op.transfer.value for op in ops_of(module.operation, StartOp)}
    found: dict[str, TransferPrototype] = {}
    for transfer in used_transfers(module.operation):
        symbol, handle = transfer.symbol.value, handle_parameter(transfer.device.value, module)
        parameters = (*handle, *_parameters(transfer, module))
        known = found.get(symbol, TransferPrototype(symbol, parameters, (), False, False))
        if known.parameters != parameters:
            raise EmissionError(
                transfer.location,
                f"@{transfer.sym_name.value} and @{known.transfers[0].sym_name.value} both are "
                f"'{symbol}' in C, but take different arguments; give one a symbol of its own",
            )
        name = transfer.sym_name.value
        found[symbol] = TransferPrototype(
            symbol,
            parameters,
            (*known.transfers, transfer),
            known.is_called or name in moved,
            known.is_started or name in started,
        )
    return tuple(found.values())


def queue_functions_of(module: Module) -> tuple[QueueFunctions, ...]:
    """Return the queue functions that the program calls, in the order of their first calls.

    Raises EmissionError when queues share a C symbol but need different handles.
    """
    found: dict[str, QueueFunctions] = {}
    for op in ops_nested_in(module.operation):
        for queue, waits in _commanded_queues(op):
            symbol = queue.symbol.value
            handle = handle_parameter(queue.device.value, module)
            known = found.get(symbol, QueueFunctions(symbol, (), False, False, handle))
            if known.handle != handle:
                raise EmissionError(
                    queue.location,
                    f"'{symbol}' takes the handle of one device and not of another, or of another "
                    "kind; give the queue a symbol of its own",
                )
            names = [other.sym_name.value for other in known.queues]
            others = known.queues if queue.sym_name.value in names else (*known.queues, queue)
            found[symbol] = QueueFunctions(
                symbol,
                others,
                known.is_waited_for or waits,
                known.takes_order or not waits,
                handle,
            )
    return tuple(found.values())


def _commanded_queues(op: OpView) -> list[tuple[QueueOp, bool]]:
    """Return the queues whose functions the op calls, and whether the call is a wait."""
    if isinstance(op, WaitOp):
        return [(queue_of_token(token, op), True) for token in op.tokens]
    if not isinstance(op, (StartOp, LaunchOp)) or not len(op.after):
        return []
    queue = queue_of(transfer_of(op) if isinstance(op, StartOp) else intrinsic_of(op))
    return [] if queue is None else [(queue, False)]


def _parameters(transfer: TransferOp, module: Module) -> tuple[Parameter, ...]:
    pools = pools_in(module.operation)
    addresses: list[Parameter] = []
    for side, name in (("sources", "source"), ("targets", "target")):
        unit_of(transfer, side, pools)
        inside = pools[pools_of(getattr(transfer, side))[0]].local
        ctype = "uint32_t" if inside else "void"
        flags = getattr(transfer, f"{name}_flags")
        bits = 0 if flags is None else flags.value
        addresses.append(
            Parameter(name, ctype, not inside, is_written=name == "target", flags=bits)
        )
    numbers = (Parameter(name, "uint32_t", False) for name in parameter_names_of(transfer))
    return (*addresses, *numbers)
