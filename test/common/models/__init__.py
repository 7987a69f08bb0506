"""Networks for tests, and their expected outputs."""
