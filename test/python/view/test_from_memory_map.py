from common.documents.memory_maps import buffer, memory_map, operator, step

from forebay.formats.memory_map import MapStep
from forebay.view.from_memory_map import data_of_memory_map


def test_buffers_name_their_device_and_steps() -> None:
    data = data_of_memory_map(memory_map())
    first, second, weights = data.buffers
    assert (first.producer, first.consumers, first.spans) == (0, (1,), ((0, 2),))
    assert second.details == "int8 8"
    assert weights.spans == ((0, 2),)  # a constant is there all the time
    assert weights.pool == 1


def test_pools_say_what_needs_their_bytes() -> None:
    workspace, flash = data_of_memory_map(memory_map()).pools
    assert (workspace.argument, workspace.at_bound, workspace.step) == ("live bytes", (0, 1), 1)
    assert workspace.live == ((0, 8), (1, 16), (2, 0))
    assert (flash.argument, flash.at_bound) == ("", ())


def test_operators_have_the_reasons_of_the_off_load_report() -> None:
    data = data_of_memory_map(memory_map())
    kept, moved = data.operators
    assert (kept.title, kept.reasons, kept.steps) == ("0 QUANTIZE", ("npu: no pattern",), (0, 1))
    assert (moved.device, moved.pattern, moved.macs) == ("npu", "conv", 64)
    assert data.edges == ((0, 1),)
    assert data.devices == ("cpu", "npu")


def test_gaps_split_a_lifetime() -> None:
    data = data_of_memory_map(
        memory_map(
            buffers=(buffer("a", (0, 9), gaps=((2, 4), (5, 6))), buffer("b", (0, 1))),
            steps=tuple(step(0, (), ()) for _ in range(9)),
        )
    )
    assert data.buffers[0].spans == ((0, 2), (4, 5), (6, 9))


def test_operators_of_the_reset_say_so() -> None:
    reset = MapStep(
        operator=2, op="x", device="cpu", entry="reset", location="", reads=(), writes=()
    )
    base = memory_map()
    data = data_of_memory_map(
        memory_map(
            operators=(*base.operators, operator(2, "linalg.generic")), steps=(*base.steps, reset)
        )
    )
    assert data.operators[2].title == "2 linalg.generic of reset"
