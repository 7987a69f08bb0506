import os
from pathlib import Path

from forebay.doctor.tools import installed_tools, programs_of_boards


def test_programs_are_found_in_path_with_their_version(tmp_path: Path, monkeypatch):
    program = tmp_path / "arm-none-eabi-gcc"
    program.write_text("#!/bin/sh\necho\necho 'gcc for Arm 1.2'\necho 'more 3'\n")
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}{os.pathsep}/bin")
    monkeypatch.setenv("CC", "none-such-cc -m32")
    found = {it.program: it for it in installed_tools()}
    assert found["arm-none-eabi-gcc"].path == str(program)
    assert found["arm-none-eabi-gcc"].version == "gcc for Arm 1.2"
    assert found["arm-none-eabi-gcc"].used_for == "mcu: mps2-an386, mps3-an547"
    assert found["none-such-cc"].path is None
    assert found["none-such-cc"].version is None


def test_a_board_needs_its_compiler_and_its_emulator():
    assert programs_of_boards()["riscv-virt"] == ("riscv64-unknown-elf-gcc", "qemu-system-riscv32")
