"""Memory pools as data: what a pool is, in one record that every package shares.

Imports nothing of the project, and no MLIR. Gives `Pool`, `PoolKind`, `Fill` and `ByteRange`.

Internal: may change without notice.
"""

from forebay.pools.kinds import Fill, PoolKind
from forebay.pools.pool import DEFAULT_ALIGNMENT, Pool
from forebay.pools.ranges import ByteRange

__all__ = ["DEFAULT_ALIGNMENT", "ByteRange", "Fill", "Pool", "PoolKind"]
