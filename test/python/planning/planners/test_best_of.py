from forebay.planning import Buffer, Pool, Problem, live, plan

HERE = ("ram",)


def test_the_better_order_wins():
    buffers = (
        Buffer("a", 10, live(0, 2), HERE),
        Buffer("b", 30, live(1, 3), HERE),
        Buffer("c", 20, live(2, 4), HERE),
    )
    problem = Problem((Pool("ram"),), buffers)
    assert plan(problem, "first-fit").peak("ram") == 60
    assert plan(problem, "greedy-by-size").peak("ram") == 50
    assert plan(problem, "best-of").peak("ram") == 50
