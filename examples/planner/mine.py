"""A planner of your own: `forebay plan problem.csv --planner examples/planner/mine.py`.

`plan` gets the buffers and the pools and answers with a pool and an offset for every buffer.
Forebay verifies the answer: a wrong one is refused with the reason, whatever this file does.
"""


def plan(buffers, pools):
    """Longest life first, each buffer in its first pool, above all that it must not overlap."""
    by_name = {pool.name: pool for pool in pools}
    placed = {}
    for buffer in sorted(buffers, key=life, reverse=True):
        pool = by_name[buffer.candidates[0]]
        ends = [
            placed[name][1] + other.size
            for other in buffers
            if (name := other.name) in placed and name in buffer.conflicts
        ]
        offset = max([pool.start, *ends])
        placed[buffer.name] = (pool.name, -(-offset // buffer.alignment) * buffer.alignment)
    return placed


def life(buffer):
    """Ticks for which the buffer lives."""
    return sum(end - start for start, end in buffer.lifetime)
