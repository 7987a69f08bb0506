import pytest

from forebay.network.model import BufferInfo, ModelInfo, Port
from forebay.network.overwritten import is_overwritten

PORT = Port("x", "int8", (16,), pool="ws", offset=32)


@pytest.mark.parametrize(
    ("pool", "offset", "size", "expected"),
    [
        ("ws", 16, 16, False),
        ("ws", 16, 17, True),
        ("ws", 47, 1, True),
        ("ws", 48, 8, False),
        ("other", 32, 16, False),
    ],
)
def test_bytes_that_another_buffer_takes(pool: str, offset: int, size: int, expected: bool) -> None:
    own = BufferInfo("x", "ws", 32, 16, 0, 1, "int8", (16,))
    other = BufferInfo("y", pool, offset, size, 2, 3, "int8", (size,))
    model = ModelInfo("net", (PORT,), (), (), "00" * 32, buffers=(own, other))
    assert is_overwritten(PORT, model) is expected
