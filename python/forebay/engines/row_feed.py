"""The rows of an array as the input of a compiled network that reads them one by one."""

from __future__ import annotations

import ctypes
from typing import Any

import numpy as np
from numpy.typing import NDArray

from forebay.network.errors import CodegenError
from forebay.network.model import Port

_READ = ctypes.CFUNCTYPE(ctypes.c_int32, ctypes.c_void_p, ctypes.c_int32, ctypes.c_void_p)


class _Rows(ctypes.Structure):
    """The ctypes form of `<m>_<input>_rows`."""

    _fields_ = (("read", _READ), ("context", ctypes.c_void_p))


class RowFeed:
    """Hands in the rows of an array in ascending order, each once, for one run."""

    def __init__(self, port: Port, values: NDArray[Any]) -> None:
        self._port = port
        self._rows = np.ascontiguousarray(values).reshape(port.rows, -1)
        self._next = 0
        self._struct = _Rows(_READ(self._read), None)

    @property
    def address(self) -> int:
        """Return the address of the structure that the network takes."""
        return ctypes.addressof(self._struct)

    def require_all_read(self) -> None:
        """Raise `CodegenError` unless the run has read all rows."""
        if self._next != self._port.rows:
            raise CodegenError(
                f"the run has read {self._next} of {self._port.rows} rows of '{self._port.name}'"
            )

    def _read(self, _context: int | None, row: int, target: int) -> int:
        if row != self._next or row >= self._port.rows:
            return 1
        self._next += 1
        ctypes.memmove(target, self._rows[row].ctypes.data, self._rows[row].nbytes)
        return 0
