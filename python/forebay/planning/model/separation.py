"""A wish for speed: two buffers that had better lie apart."""

from __future__ import annotations

from dataclasses import dataclass

from forebay.planning.model.pool import ByteRange, Pool


@dataclass(frozen=True)
class Separation:
    """What it costs that two buffers meet in one pool; weaker than any byte of peak.

    `shared_byte`: penalty of each byte that both take, at whatever time. Where two engines run
    asynchronously, the one that uses a byte again waits for the one that used it before.
    `same_bank`: penalty of touching a common bank; two engines cannot use one bank at once.

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
        """What two byte ranges of the pool cost that the two buffers take."""
        shared = max(0, min(one.end, other.end) - max(one.start, other.start))
        return self.shared_byte * shared + self.same_bank * pool.share_bank(one, other)
