"""Lets the tests import what they share with the lowering's: TOSA as text."""

import sys
from pathlib import Path

sys.path[:0] = [str(Path(__file__).parents[1] / "lowering")]
