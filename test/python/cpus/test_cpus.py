"""The processors that schedules know."""

import pytest

from forebay.cpus import names, schedule_of


def test_each_processor_has_the_name_of_its_file() -> None:
    assert {"generic", "cortex-m4", "cortex-m55"} <= {*names()}
    assert [schedule_of(name).name for name in names()] == names()


@pytest.mark.parametrize("name", ["cortex-a57", "cortex-a53"])
def test_a_processor_without_a_file_has_the_portable_schedule(name: str) -> None:
    assert schedule_of(name) == schedule_of("generic")
