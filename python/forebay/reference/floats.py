"""Functions of real numbers that NumPy lacks."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

erf: Any = np.vectorize(math.erf, otypes=[np.float64])
"""The error function, in double precision."""

erfc: Any = np.vectorize(math.erfc, otypes=[np.float64])
"""The complementary error function, in double precision."""
