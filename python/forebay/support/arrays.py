"""Names for NumPy arrays in annotations."""

from __future__ import annotations

from typing import Any

from numpy.typing import NDArray

Array = NDArray[Any]
"""An array of any element type and shape."""

Arrays = tuple[Array, ...]
