"""When transfers run: out of loops, once instead of twice, beside computations."""
