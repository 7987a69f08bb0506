"""Modules beside the tests, and those of the fuzzers, can be imported by name."""

import sys
from pathlib import Path

sys.path += [str(Path(__file__).parent), str(Path(__file__).parents[2])]
