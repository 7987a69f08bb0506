"""A local memory of rows with lanes, and which lanes were written."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray


class LocalMemory:
    """Rows of equal shape; nothing is written at first, and the values are then zero."""

    def __init__(self, name: str, rows: int, shape: tuple[int, ...], dtype: type) -> None:
        self.name = name
        self.data: NDArray[Any] = np.zeros((rows, *shape), dtype)
        self.written: NDArray[np.bool_] = np.zeros((rows, *shape), np.bool_)

    def __len__(self) -> int:
        return len(self.data)

    def write(self, where: Any, values: Any) -> None:
        """Store values at a NumPy index."""
        self.data[where] = values
        self.written[where] = True

    def forget(self) -> None:
        """Make the contents undefined."""
        self.written[:] = False
