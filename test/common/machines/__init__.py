"""Targets of tests: machines with one property each."""
