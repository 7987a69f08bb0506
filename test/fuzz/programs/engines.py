"""A drawn program through the whole compiler: the emitted C, and LLVM's JIT."""

from __future__ import annotations

import tempfile
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

import numpy as np

import forebay
from forebay.errors import Error
from fuzz.cases import Wrong

ENGINES = ("c", "llvm")
NO_FORM = "an address inside a device is one number"
"""Why a function may not be handed a part of a buffer inside a device, or one of several."""


def run_engines(
    text: str,
    inputs: Sequence[Sequence[np.ndarray]],
    expected: Sequence[Sequence[Sequence[np.ndarray]]],
) -> Counter[str]:
    """Compile and run; raises `Wrong` for other values than expected."""
    with tempfile.TemporaryDirectory() as directory:
        path = Path(directory, "program.mlir")
        path.write_text(text)
        try:
            compiled = forebay.compile(path)
            for engine in ENGINES:
                for values, wanted in zip(inputs, expected, strict=True):
                    compiled.reset(engine)
                    for step in wanted:
                        found = compiled.run(*values, engine=engine)
                        found = found if isinstance(found, tuple) else (found,)
                        for one, other in zip(found, step, strict=False):
                            if not np.array_equal(one, other):
                                raise Wrong(f"{engine} gives other values")
        except Error as error:
            if NO_FORM in str(error):
                return Counter({"programs that C has no form for": 1})
            raise Wrong(f"the compiler or an engine refuses: {error}") from error
    return Counter({"programs run as C and by LLVM": 1})
