"""What targets are described with, checked by, written into modules as and read back from."""

from forebay.targets.description.device import Device
from forebay.targets.description.errors import TargetError
from forebay.targets.description.intrinsic import Access, Intrinsic, Operand
from forebay.targets.description.pattern import Condition, Pattern
from forebay.targets.description.pool import Fill, Pool, PoolKind
from forebay.targets.description.target import Target
from forebay.targets.description.transfer import Queue, Transfer

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
    "Target",
    "TargetError",
    "Transfer",
]
