"""Lets the tests import what they share: this folder's modules, and the JIT of the lowering's."""

from pathlib import Path

HERE = Path(__file__).parent
