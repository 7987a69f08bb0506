"""A check that goes wrong in every way, by case number: what the tests of `cases` run."""

import os
import time

from fuzz.cases import Wrong


def check(seed: int) -> dict[str, int]:
    """Case 2 ends its process, 3 never ends, 4 raises, 5 is wrong."""
    if seed == 2:
        os.abort()
    if seed == 3:
        time.sleep(1000)
    if seed == 4:
        raise ValueError("no number")
    if seed == 5:
        raise Wrong("7 is not 8")
    return {"cases that are right": 1}
