"""An example of a planner: `forebay plan problem.csv --planner examples/planner/mine.py`.

`plan` gets the buffers and the pools, and returns a pool and an offset for every buffer. Forebay
verifies the result and refuses a wrong plan with the reason.
"""


def plan(buffers, pools):
    """Place longest lifetimes first, in the first pool, above all placed conflicting buffers."""
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
    """Return the length of the buffer's lifetime in program points."""
    return sum(end - start for start, end in buffer.lifetime)
