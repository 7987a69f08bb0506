"""Lets the tests import what they share: the modules of this folder and of the one above."""

from pathlib import Path

HERE = Path(__file__).parent
