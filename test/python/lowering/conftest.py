"""Lets the tests import what they share: the modules of this folder and of the one above."""

import sys
from pathlib import Path

HERE = Path(__file__).parent
sys.path[:0] = [str(HERE), str(HERE.parent)]
