"""Lets the tests import what they share: this folder's modules, and the JIT of the lowering's."""

import sys
from pathlib import Path

HERE = Path(__file__).parent
sys.path[:0] = [str(HERE), str(HERE.parent / "lowering")]
