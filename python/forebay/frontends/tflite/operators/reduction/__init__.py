"""Operators that reduce axes, or count along them."""
