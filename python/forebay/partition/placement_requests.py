"""The user's placement requests: `--place`, and a placement file."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from msgspec import Struct

from forebay.errors import Error
from forebay.partition.operators import Operator, labels_of


class PlacementRequestError(Error):
    """A request for an unknown operator or device, or a file that is not a placement file.

    `file` is the placement file that it is in; None for a request of `--place`.
    """

    def __init__(self, message: str, file: Path | None = None) -> None:
        super().__init__(message)
        self.file = file

    @property
    def location_text(self) -> str:
        """The file."""
        return "" if self.file is None else str(self.file)


class _Request(Struct, frozen=True):
    """An operator, by its index or name, and the device requested for it.

    `place` is where a placement file has it; empty for a request of `--place`.
    """

    operator: str
    device: str
    place: str = ""


class PlacementRequests(Struct, frozen=True):
    """The device requested for operators, by their index in `operators_in`."""

    devices: dict[int, str]

    @staticmethod
    def from_arguments(
        operators: Sequence[Operator],
        devices: Sequence[str],
        place: Iterable[tuple[str, str]] = (),
        placement: Path | None = None,
    ) -> PlacementRequests:
        """Collect pairs of operator and device; those in `place` override those of the file.

        An operator is named by its index in the model or by its name. Raises
        `PlacementRequestError` for a malformed file, and for an unknown operator or device.
        """
        wanted = [] if placement is None else [*_from_file(placement)]
        wanted += [_Request(name, device) for name, device in place]
        found: dict[int, str] = {}
        for request in {it.operator: it for it in wanted}.values():
            try:
                _check_device(request, devices)
                found[_number_of(request.operator, operators)] = request.device
            except PlacementRequestError as error:
                if not request.place:
                    raise
                raise PlacementRequestError(f"{request.place}: {error}", placement) from error
        return PlacementRequests(found)


def _from_file(path: Path) -> Iterator[_Request]:
    from forebay.formats.placement import PlacementFile  # noqa: PLC0415
    from forebay.formats.reading import DocumentError, read_file  # noqa: PLC0415

    try:
        operators = read_file(path, PlacementFile).operators
    except DocumentError as error:
        raise PlacementRequestError(str(error).removeprefix(f"{path}: "), path) from error
    for number, operator in enumerate(operators):
        key = operator.name if operator.index is None else str(operator.index)
        place = f"$.operators[{number}]"
        if key is None:
            raise PlacementRequestError(f"{place} has neither an 'index' nor a 'name'", path)
        yield _Request(key, operator.device, place)


def _check_device(request: _Request, devices: Sequence[str]) -> None:
    if request.device not in devices:
        raise PlacementRequestError(
            f"operator '{request.operator}' is placed on '{request.device}', which is none of the "
            f"target's devices: {', '.join(devices)}"
        )


def _number_of(name: str, operators: Sequence[Operator]) -> int:
    numbers = [number for number, operator in enumerate(operators) if name in operator.keys]
    if not numbers:
        raise PlacementRequestError(
            f"there is no operator '{name}'; the operators are {', '.join(labels_of(operators))}"
        )
    if len(numbers) > 1:
        indices = [operators[number].index for number in numbers]
        way_out = (
            "give each a location of its own"
            if None in indices
            else f"use an index: {', '.join(map(str, indices))}"
        )
        raise PlacementRequestError(f"'{name}' is the name of {len(numbers)} operators; {way_out}")
    return numbers[0]
