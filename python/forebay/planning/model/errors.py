"""The exception classes of planning, one per kind of error; all derive from `PlanningError`."""

from __future__ import annotations

from collections.abc import Iterable

from msgspec import Struct

from forebay.errors import Error
from forebay.support.user_code import CodeLocation


class PlanningError(Error):
    """The base class of all errors of planning.

    `buffers` and `pools` are the names of those that the error is about, the first one first.
    """

    def __init__(
        self, message: str, *, buffers: Iterable[str] = (), pools: Iterable[str] = ()
    ) -> None:
        super().__init__(message)
        self.buffers = tuple(buffers)
        self.pools = tuple(pools)


class ProblemError(PlanningError):
    """A problem that contradicts itself, such as an unknown pool or a misaligned pinned offset."""


class FormatError(PlanningError):
    """A file with an invalid problem, or a format that is not supported; the message says where."""


class PlannerFailedError(PlanningError):
    """A planner from outside Forebay that cannot be loaded or that raised an error at `place`."""

    def __init__(self, message: str, place: CodeLocation | None = None) -> None:
        super().__init__(message if place is None else f"{place}: {message}")
        self.what = message
        self.place = place


class ExtraMissingError(PlannerFailedError):
    """A planner needs a package that is not installed; the message names the extra."""


class UnsupportedProblemError(PlannerFailedError):
    """A planner does not support a feature that the problem uses; the message names it."""


class UnknownPlannerError(PlanningError):
    """A planner name that is not registered; the message lists the known names."""


class PlanRefusedError(PlanningError):
    """A plan that breaks a rule of its problem."""


class InvalidAnswerError(PlanRefusedError):
    """A planner's answer that is malformed or claims a bound that its own plan contradicts."""


class MissingBufferError(PlanRefusedError):
    """The plan has no placement for a buffer of the problem."""


class UnknownBufferError(PlanRefusedError):
    """The plan has a placement for a buffer that is not in the problem."""


class WrongPoolError(PlanRefusedError):
    """The plan places a buffer in a pool that is not one of its candidates."""


class PinMovedError(PlanRefusedError):
    """The plan places a pinned buffer at another pool or offset."""


class MisalignedError(PlanRefusedError):
    """The address of a buffer is not a multiple of its alignment."""


class OutOfPoolError(PlanRefusedError):
    """A buffer begins before the first usable byte of its pool or ends after the last."""


class ReservedBytesError(PlanRefusedError):
    """A buffer covers bytes that its pool reserves."""


class OverlapError(PlanRefusedError):
    """Two conflicting buffers share bytes."""


class AliasBrokenError(PlanRefusedError):
    """Members of an alias group have different placements."""


class BlockBrokenError(PlanRefusedError):
    """Members of a rigid block are not at their places relative to each other."""


class ShortageBuffer(Struct, frozen=True):
    """A buffer that contributes to a shortage: its bytes and the operations that pin its pool."""

    buffer: str
    size: int
    pinned_by: tuple[str, ...] = ()

    def __str__(self) -> str:
        by = f", pinned by {', '.join(map(repr, self.pinned_by))}" if self.pinned_by else ""
        return f"'{self.buffer}' ({self.size:,}{by})"


class PlanInfeasibleError(PlanningError):
    """A pool has too few bytes: `needed` > `available`; `live` are the buffers that need them.

    `proved` is True when no plan exists, and False when this planner only found none.
    """

    def __init__(
        self,
        pool: str,
        needed: int,
        available: int,
        live: Iterable[ShortageBuffer] = (),
        *,
        where: str = "",
        proved: bool = False,
    ) -> None:
        self.pool = pool
        self.needed = needed
        self.available = available
        self.live = tuple(live)
        self.where = where
        self.proved = proved
        buffers = (buffer.buffer for buffer in self.live)
        super().__init__(self._message(), buffers=buffers, pools=[pool])

    @property
    def excess(self) -> int:
        """Return the number of missing bytes."""
        return self.needed - self.available

    def _message(self) -> str:
        at = f" at '{self.where}'" if self.where else ""
        live = f"; live: {', '.join(map(str, self.live))}" if self.live else ""
        unit = "byte" if self.excess == 1 else "bytes"
        more = f"Give the pool {self.excess:,} {unit} more, or let a buffer live in another pool"
        other = "." if self.proved else ", or try another planner: this one is no proof."
        return (
            f"pool '{self.pool}' needs {self.needed:,} bytes{at} "
            f"but has {self.available:,}{live}. {more}{other}"
        )
