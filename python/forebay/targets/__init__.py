"""Targets: the devices and pools that a program is compiled for, one target per file.

May import `dialects`, `ir`, `support` and `device_stages`. Gives the classes of `description`, and
`load`, which finds a target by name or in a user's file.

Public as `forebay.api.target`; the rest may change without notice.
"""

from forebay.targets.complete.load import (
    load,
    name_for_target,
    names,
    once,
    with_requantisation,
)
from forebay.targets.complete.pool_options import text_of_options
from forebay.targets.complete.read import read as from_module
from forebay.targets.complete.target import Target
from forebay.targets.description import (
    Access,
    Condition,
    Device,
    Fill,
    Intrinsic,
    Operand,
    Pattern,
    Pool,
    PoolKind,
    Queue,
    Register,
    TargetError,
    Transfer,
)
from forebay.targets.description.attach import attach, symbols
from forebay.targets.description.symbol_names import symbol_of

__all__ = [
    "Access",
    "Condition",
    "Device",
    "Fill",
    "Intrinsic",
    "Operand",
    "Pattern",
    "Pool",
    "PoolKind",
    "Queue",
    "Register",
    "Target",
    "TargetError",
    "Transfer",
    "attach",
    "from_module",
    "load",
    "name_for_target",
    "names",
    "once",
    "symbol_of",
    "symbols",
    "text_of_options",
    "with_requantisation",
]
