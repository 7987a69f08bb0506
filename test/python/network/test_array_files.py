"""Archives that are broken inside are refused with the file's name, whatever breaks in them."""

import io
from pathlib import Path

import numpy as np

from forebay.network.array_files import ArrayFileError, read_arrays


def test_every_byte_of_an_archive_may_be_broken(tmp_path: Path) -> None:
    file, path = io.BytesIO(), tmp_path / "x.npz"
    np.savez_compressed(file, x=np.arange(8, dtype=np.int8))
    whole = file.getvalue()
    for position in range(len(whole)):
        for bits in (0x01, 0x20, 0xFF):
            broken = bytearray(whole)
            broken[position] ^= bits
            path.write_bytes(broken)
            try:
                read_arrays(path)
            except ArrayFileError as error:
                assert str(error).startswith(f"{path}: ")
