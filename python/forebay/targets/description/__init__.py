"""The description of targets: classes, their checks, and their form as operations of a module.

May import `dialects`, `ir`, `support` and `device_stages`, but no target. Gives the classes that a
target file uses; each part of a target records the line that describes it.

Internal: may change without notice.
"""

from forebay.computations.condition import Condition
from forebay.pools import Fill, PoolKind
from forebay.targets.description.device import Device
from forebay.targets.description.emit import Emit
from forebay.targets.description.errors import TargetError
from forebay.targets.description.intrinsic import Access, Intrinsic, Operand
from forebay.targets.description.pattern import Pattern
from forebay.targets.description.pool import Pool, Register
from forebay.targets.description.transfer import Queue, Transfer

__all__ = [
    "Access",
    "Condition",
    "Device",
    "Emit",
    "Fill",
    "Intrinsic",
    "Operand",
    "Pattern",
    "Pool",
    "PoolKind",
    "Queue",
    "Register",
    "TargetError",
    "Transfer",
]
