"""Modules beside the tests, and those of the fuzzers, can be imported by name."""
