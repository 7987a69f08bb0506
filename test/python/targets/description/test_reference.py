"""The normal form of the text of a reference."""

from __future__ import annotations

import os
import signal

import pytest

from forebay.targets.description.reference import ReferenceTextError, normal_form

TEXT = """
func.func @{name}(%x: memref<4xi8>) {{
  return
}}
"""


def test_spellings_have_one_normal_form() -> None:
    spelled = (
        TEXT.format(name="reference").replace("%x", "%operand").replace("\n  return", "return")
    )
    assert normal_form(spelled) == normal_form(TEXT.format(name="reference"))


def test_a_forked_process_can_read_texts() -> None:
    """Its parent has verified several functions, for which MLIR starts threads if it may."""
    text = "".join(TEXT.format(name=f"f{number}") for number in range(100))
    with pytest.raises(ReferenceTextError, match="must be one"):
        normal_form(text)
    child = os.fork()
    if child == 0:
        signal.alarm(60)  # ends a child that waits for threads that it does not have
        try:
            normal_form(text)
        except ReferenceTextError:
            os._exit(0)
        os._exit(1)
    assert os.waitpid(child, 0)[1] == 0
