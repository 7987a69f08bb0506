"""Lets the tests import what they share with the lowering's: TOSA as text."""
