"""A preference for speed: two buffers that a plan should place apart."""

from __future__ import annotations

from forebay.pools import ByteRange, Pool
from forebay.support.records import record


@record
class Separation:
    """The penalty of placing two buffers close together in one pool.

    The penalty is weaker than any byte of peak.

    `shared_byte`: penalty per byte that both buffers occupy, even at different times. When two
    engines run asynchronously, the engine that reuses a byte waits for the engine that used it
    before.
    `same_bank`: penalty when both occupy bytes of one bank; two engines cannot use a bank at once.

    ::

        bank 0          bank 1          bank 2
        |---------------|---------------|---------------|
           aaaaaaaaaa                                      a and b: 4 shared bytes, a common bank
                 bbbbbb                                    a and c: no shared byte, a common bank
                     ccccccccc                             b and d: nothing
                                 ddddd
    """

    first: str
    second: str
    shared_byte: int = 0
    same_bank: int = 0

    def penalty(self, pool: Pool, one: ByteRange, other: ByteRange) -> int:
        """Return the penalty when the two buffers occupy these byte ranges of the pool."""
        shared = max(0, min(one.end, other.end) - max(one.start, other.start))
        return self.shared_byte * shared + self.same_bank * pool.share_bank(one, other)
