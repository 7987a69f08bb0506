from forebay.view.live_bytes import live_bytes, merged_spans


def test_bytes_change_where_blocks_begin_and_end() -> None:
    assert live_bytes([([(0, 2)], 8), ([(1, 3)], 4)]) == ((0, 8), (1, 12), (2, 4), (3, 0))


def test_a_block_that_ends_where_an_equal_one_begins_changes_nothing() -> None:
    assert live_bytes([([(0, 2)], 8), ([(2, 3)], 8)]) == ((0, 8), (3, 0))


def test_spans_of_one_block_count_once() -> None:
    assert live_bytes([([(0, 2), (1, 4), (6, 7)], 8)]) == ((0, 8), (4, 0), (6, 8), (7, 0))


def test_union_leaves_empty_ranges_out() -> None:
    assert merged_spans([(3, 3), (4, 5), (0, 2), (2, 3)]) == [(0, 3), (4, 5)]
