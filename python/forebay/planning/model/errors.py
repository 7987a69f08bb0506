"""One exception class per kind of planning mistake; all derive from `PlanningError`."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from forebay.errors import Error
from forebay.support.user_code import CodePlace


class PlanningError(Error):
    """Anything that planning refuses."""


class ProblemError(PlanningError):
    """A problem that contradicts itself: an unknown pool, an empty lifetime, a misaligned pin."""


class FormatError(PlanningError):
    """A file that is not a planning problem; the message says where it is wrong."""


class PlannerFailedError(PlanningError):
    """A planner that was given from outside cannot be loaded, or crashed at `place`."""

    def __init__(self, message: str, place: CodePlace | None = None) -> None:
        super().__init__(message if place is None else f"{place}: {message}")
        self.what = message
        self.place = place


class ExtraMissingError(PlannerFailedError):
    """A planner stands on a package that is not installed; the message names the extra."""


class UnsupportedProblemError(PlannerFailedError):
    """A planner that cannot express something that the problem asks for; the message says what."""


class UnknownPlannerError(PlanningError):
    """A planner name that nobody has registered; the message lists the known ones."""


class PlanRefusedError(PlanningError):
    """A plan that breaks a rule of its problem."""


class GarbageError(PlanRefusedError):
    """An answer that is no mapping from buffer names to (pool, offset)."""


class MissingBufferError(PlanRefusedError):
    """The plan forgets a buffer of the problem."""


class UnknownBufferError(PlanRefusedError):
    """The plan places a buffer that the problem does not have."""


class WrongPoolError(PlanRefusedError):
    """A buffer lies in a pool that is not among its candidates."""


class PinMovedError(PlanRefusedError):
    """A pinned buffer lies elsewhere."""


class MisalignedError(PlanRefusedError):
    """The address of a buffer is not a multiple of its alignment."""


class OutOfPoolError(PlanRefusedError):
    """A buffer begins before the first usable byte of its pool or ends after the last."""


class ReservedBytesError(PlanRefusedError):
    """A buffer covers bytes that its pool reserves."""


class OverlapError(PlanRefusedError):
    """Two buffers that live at the same time share bytes."""


class AliasBrokenError(PlanRefusedError):
    """Members of an alias group lie at different addresses."""


@dataclass(frozen=True)
class ShortageBuffer:
    """A buffer that takes part in a shortage: its bytes, and who forces it into the pool."""

    buffer: str
    size: int
    pinned_by: tuple[str, ...] = ()

    def __str__(self) -> str:
        by = f", pinned by {', '.join(map(repr, self.pinned_by))}" if self.pinned_by else ""
        return f"'{self.buffer}' ({self.size:,}{by})"


class PlanInfeasibleError(PlanningError):
    """A pool has too few bytes: `needed` > `available`; `live` are the buffers that need them.

    `proved` says that no plan exists; otherwise this planner found none.
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
        super().__init__(self._message())

    @property
    def excess(self) -> int:
        """Bytes that are missing."""
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
