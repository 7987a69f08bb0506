"""The user's placement requests: `--place`, and a placement file."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path

from msgspec import Struct

from forebay.errors import Error
from forebay.partition.operators import Operator, labels_of


class PlacementRequestError(Error):
    """A request for an unknown operator or device, or a file that is not a placement file."""


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
        wanted = dict(_from_file(placement)) if placement is not None else {}
        wanted |= dict(place)
        found: dict[int, str] = {}
        for name, device in wanted.items():
            if device not in devices:
                raise PlacementRequestError(
                    f"operator '{name}' is placed on '{device}', which is none of the target's "
                    f"devices: {', '.join(devices)}"
                )
            found[_number_of(name, operators)] = device
        return PlacementRequests(found)


def _from_file(path: Path) -> Iterable[tuple[str, str]]:
    from forebay.formats.placement import PlacementFile  # noqa: PLC0415
    from forebay.formats.reading import DocumentError, read_file  # noqa: PLC0415

    try:
        operators = read_file(path, PlacementFile).operators
    except DocumentError as error:
        raise PlacementRequestError(str(error)) from error
    for number, operator in enumerate(operators):
        key = operator.name if operator.index is None else str(operator.index)
        if key is None:
            raise PlacementRequestError(
                f"{path}: $.operators[{number}] has neither an 'index' nor a 'name'"
            )
        yield key, operator.device


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
