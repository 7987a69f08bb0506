from forebay.planning import Buffer, Kind, Pool, Problem, plan


def test_what_would_waste_most_below_others_lies_on_top():
    # of one alignment, 16: [0, 32), [32, 48), 17 bytes on top end at 65; on the ground they cost 80
    sizes = {"a": 17, "b": 32, "c": 16}
    buffers = tuple(Buffer(n, s, candidates=("rom",), kind=Kind.CONSTANT) for n, s in sizes.items())
    assert plan(Problem((Pool("rom", alignment=16),), buffers), "best-of-orders").peak("rom") == 65


def test_coarse_alignments_lie_below_fine_ones():
    # 64 at 0, 60 at 64, both aligned to 64, then 20 aligned to 4 at 124; with 20 below it is 188
    sizes = {"a": (20, 4), "b": (60, 64), "c": (64, 64)}
    buffers = tuple(
        Buffer(n, s, (), ("rom",), alignment, Kind.CONSTANT) for n, (s, alignment) in sizes.items()
    )
    assert plan(Problem((Pool("rom"),), buffers), "best-of-orders").peak("rom") == 144
