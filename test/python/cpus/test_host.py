"""The processor of this machine, by its features."""

import pytest

from forebay.cpus import NATIVE, schedule_of
from forebay.cpus.host import host_processor, processor_with

V3 = "sse2 abm movbe f16c bmi1 avx2 bmi2 fma"
V4 = f"{V3} avx512f avx512dq avx512cd avx512bw avx512vl"


@pytest.mark.parametrize(
    ("flags", "name"),
    [
        (f"{V4} avx512_vnni", "cascadelake"),
        (V4, "x86-64-v4"),
        (f"{V3} avx512f avx512_vnni", "x86-64-v3"),
        ("sse2 avx fma", None),
    ],
)
def test_the_most_capable_schedule_with_all_its_features_is_taken(
    flags: str, name: str | None
) -> None:
    text = f"processor\t: 0\nbugs\t\t: taa\nflags\t\t: {flags}\n\nprocessor\t: 1\nflags\t\t: sse2\n"
    assert processor_with(text) == name


def test_the_features_of_aarch64_have_another_name() -> None:
    assert processor_with("processor\t: 0\nFeatures\t: fp asimd asimddp\n") == "cortex-a76"


def test_a_machine_of_another_kind_has_the_portable_schedule() -> None:
    assert processor_with("processor\t: 0\nFeatures\t: fp asimd\n") is None
    assert processor_with("") is None


def test_native_is_the_schedule_of_this_machine() -> None:
    assert schedule_of(NATIVE) == schedule_of(host_processor() or "generic")
