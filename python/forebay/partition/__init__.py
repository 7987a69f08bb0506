"""Assign operators to devices: candidates, conditions, the user's requests, and a report.

May import `ir`, `targets` and `reports`. Gives `partition`, which replaces the operators that
devices take by calls of intrinsics and returns the off-load report.

Internal: may change without notice.
"""

from forebay.partition.partition import partition
from forebay.partition.placement_requests import PlacementRequestError, PlacementRequests
from forebay.targets.description.emit import Emit

__all__ = ["Emit", "PlacementRequestError", "PlacementRequests", "partition"]
