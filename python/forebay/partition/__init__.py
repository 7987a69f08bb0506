"""Which device runs which operator: candidates, conditions, the user's wishes, and a report."""

from forebay.partition.emit import Emit
from forebay.partition.partition import partition
from forebay.partition.wishes import WishError, Wishes

__all__ = ["Emit", "WishError", "Wishes", "partition"]
