"""Corrupted files through the whole command.

These are `.tflite`, `.onnx`, `.mlir`, `.npz`, `.json`, `.csv` and `.py`.

Bytes are changed, cut out, repeated and spliced in from another file, sizes replaced by extreme
ones. Whatever is in a file, the command ends by itself with exit code 0, 1 or 2, and where that is
not 0 it says why: no signal, no hang, no traceback, no error that it did not foresee.
"""

from fuzz.files.check import check

LONG = 5_000
SECONDS = 600.0

__all__ = ["LONG", "SECONDS", "check"]
