"""The token machine's programs, as the emulator's tests have them, can be imported by name."""

import sys
from pathlib import Path

sys.path += [str(Path(__file__).parent), str(Path(__file__).parent.parent / "emulator")]
