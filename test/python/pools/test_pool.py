"""The record of a pool: access rights, addresses, alignment, banks, and wrong kinds."""

import pytest

from forebay.pools import ByteRange, Pool, PoolKind


def test_without_lists_all_devices_may_access_a_pool_that_is_not_in_a_device() -> None:
    everyone, inside = Pool("sram"), Pool("spad", local=True)
    assert everyone.lets_read("npu")
    assert everyone.lets_write("npu")
    assert not inside.lets_read("npu")
    assert not inside.lets_write("npu")


def test_lists_name_the_devices_that_may() -> None:
    pool = Pool("spad", local=True, readers=("npu", "cpu"), writers=("npu",))
    assert [pool.lets_read(device) for device in ("npu", "cpu", "dsp")] == [True, True, False]
    assert [pool.lets_write(device) for device in ("npu", "cpu", "dsp")] == [True, False, False]


def test_addresses_in_a_local_pool_count_rows() -> None:
    assert Pool("dram", base=0x8000, unit=16).address(64) == 0x8040
    assert Pool("spad", base=0x8000, unit=16, local=True).address(64) == 0x8004


def test_only_the_host_s_pools_with_a_base_are_mapped() -> None:
    pools = Pool("a", base=0), Pool("b", base=0, local=True), Pool("c")
    assert [pool.is_mapped for pool in pools] == [True, False, False]


def test_alignment_counts_from_address_zero() -> None:
    assert Pool("ram", base=8).align(1, 16) == 8  # address 8 + 8 = 16
    assert Pool("ram").align(1, 16) == 16


def test_a_buffer_takes_whole_rows() -> None:
    assert Pool("spad", unit=16).rounded(24) == 32


def test_ranges_share_a_bank_if_both_reach_it() -> None:
    pool = Pool("spad", capacity=64, banks=4)
    assert pool.bank_bytes == 16
    assert pool.share_bank(ByteRange(0, 17), ByteRange(30, 40))  # both in [16, 32)
    assert not pool.share_bank(ByteRange(0, 16), ByteRange(16, 32))


def test_a_range_that_ends_where_another_begins_does_not_overlap_it() -> None:
    assert not ByteRange(0, 8).overlaps(ByteRange(8, 9))
    assert ByteRange(0, 9).overlaps(ByteRange(8, 9))


def test_a_size_in_place_of_the_kind_is_refused() -> None:
    with pytest.raises(TypeError, match=r"the kind of pool 'ram' is 64, no PoolKind"):
        Pool("ram", 64)  # pyright: ignore[reportArgumentType]


def test_a_pool_is_a_workspace_of_any_size_by_default() -> None:
    assert (Pool("ram").kind, Pool("ram").capacity) == (PoolKind.workspace, None)


def test_usable_bytes_are_those_that_a_plan_may_use() -> None:
    assert Pool("dram").usable is None
    reserved = (ByteRange(20, 30), ByteRange(90, 100))
    assert Pool("sram", capacity=100, start=10, reserved=reserved).usable == 70
